/**
 * Our worker against a loop written by hand, with the same statements on the same pool in the same
 * process, in short rounds that take turns: `npm run bench -- --database sqlite --concurrency 16`.
 */
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import { openMariadb, openMysql } from './databases/mysql-family.js';
import { openPostgres } from './databases/postgres.js';
import { openSqlite } from './databases/sqlite.js';
import { measureByHand, measureOurs } from './measure.js';
import { median, medianInterval } from './statistics.js';

const databases: Readonly<Record<string, () => Promise<Bench>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  mariadb: openMariadb,
  sqlite: openSqlite,
};

/** How many rows a round works, so that it takes some tenths of a second. */
const rowsOf = (concurrency: number): number =>
  concurrency === 1 ? 300 : concurrency === 16 ? 1_000 : 5_000;

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: Object.keys(databases).join(',') },
    concurrency: { type: 'string', default: '1,16,100' },
    rounds: { type: 'string', default: '31' },
  },
});

console.log(
  '| database | concurrency | by hand, rows/s | ours, rows/s | ratio | 95 % | statements per 1,000 rows |',
);
console.log('| --- | ---: | ---: | ---: | ---: | --- | ---: |');
for (const name of values.database.split(',')) {
  const open = databases[name];
  if (open === undefined)
    throw new Error(`unknown database "${name}": ${Object.keys(databases).join(', ')}`);
  const bench = await open();
  try {
    for (const concurrency of values.concurrency.split(',').map(Number)) {
      console.log(await compare(bench, concurrency, Number(values.rounds)));
    }
  } finally {
    await bench.database.close();
    await bench.close();
  }
}

async function compare(bench: Bench, concurrency: number, rounds: number): Promise<string> {
  const rows = rowsOf(concurrency);
  const hand: number[] = [];
  const ours: number[] = [];
  let statements = 0;
  // The first round warms up both sides and does not count; then they take turns in being first.
  for (let round = 0; round <= rounds; round += 1) {
    const sides = [
      async () => {
        const { rate } = await measureByHand(bench, concurrency, rows);
        if (round > 0) hand.push(rate);
      },
      async () => {
        const measured = await measureOurs(bench, concurrency, rows);
        ({ statements } = measured);
        if (round > 0) ours.push(measured.rate);
      },
    ];
    for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
  }
  const ratios = ours.map((rate, index) => rate / (hand[index] ?? NaN));
  const [low, high] = medianInterval(ratios);
  return `| ${[
    bench.title,
    concurrency,
    Math.round(median(hand)),
    Math.round(median(ours)),
    median(ratios).toFixed(2),
    `${low.toFixed(2)}–${high.toFixed(2)}`,
    statements === 0 ? '' : statements.toFixed(0),
  ].join(' | ')} |`;
}
