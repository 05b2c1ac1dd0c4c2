/**
 * Our worker against a loop written by hand, with the same statements on the same pool in the same
 * process, in short rounds that take turns; and producers with and without rows in work:
 * `npm run bench -- --form row-lock --database postgres --concurrency 16`.
 */
import { parseArgs } from 'node:util';
import type { Bench, Form, FormBench } from './bench.js';
import { openMariadb, openMysql } from './databases/mysql-family/index.js';
import { openPostgres } from './databases/postgres/index.js';
import { openSqlite } from './databases/sqlite/index.js';
import { measureByHand, measureOurs } from './measure.js';
import { measureProducers } from './producers.js';
import { inTurns, median, medianInterval } from './statistics.js';

const databases: Readonly<Record<string, () => Promise<Bench>>> = {
  postgres: openPostgres,
  mysql: openMysql,
  mariadb: openMariadb,
  sqlite: openSqlite,
};

/** Whose work is compared, by the name that the command line has for it. */
const tables = {
  work: {
    head: '| database | form | concurrency | by hand, rows/s | ours, rows/s | ratio | 95 % | statements per 1,000 rows |',
    rule: '| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |',
  },
  producers: {
    head: '| database | form | nothing in work, inserts/s | 8 rows in work, inserts/s | ratio | 95 % |',
    rule: '| --- | --- | ---: | ---: | ---: | --- |',
  },
};

/** How many rounds of either side at concurrency 16 come before the first that is measured. */
const warmUpRounds = 6;

/** How many rows are in work while producers are measured. */
const inWork = 8;

/** How many rows a round works, so that it takes some tenths of a second. */
function rowsOf(form: string, concurrency: number): number {
  if (form !== 'lease') return concurrency === 1 ? 100 : 400;
  return concurrency === 1 ? 300 : concurrency === 16 ? 1_000 : 5_000;
}

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: Object.keys(databases).join(',') },
    form: { type: 'string', default: 'lease,row-lock,advisory' },
    measure: { type: 'string', default: 'work,producers' },
    concurrency: { type: 'string', default: '1,16,100' },
    rounds: { type: 'string', default: '31' },
  },
});
const rounds = Number(values.rounds);

for (const what of values.measure.split(',')) {
  if (what !== 'work' && what !== 'producers')
    throw new Error(`unknown measure "${what}": work, producers`);
  console.log(tables[what].head);
  console.log(tables[what].rule);
  for (const name of values.database.split(',')) {
    const open = databases[name];
    if (open === undefined)
      throw new Error(`unknown database "${name}": ${Object.keys(databases).join(', ')}`);
    const bench = await open();
    try {
      for (const form of values.form.split(',')) {
        const formBench = bench.forms[form as Form];
        if (formBench === undefined) continue;
        if (what === 'work') await compareWork(bench, form, formBench);
        else await compareProducers(bench, form, formBench);
      }
    } finally {
      await bench.close();
    }
  }
}

async function compareWork(bench: Bench, form: string, formBench: FormBench): Promise<void> {
  // Both sides have long been compiled when a worker has run for some seconds; so let them be here.
  for (let round = 0; round < warmUpRounds; round += 1) {
    await measureByHand(bench, formBench, 16, 1_000);
    await measureOurs(bench, formBench, 16, 1_000);
  }
  for (const concurrency of values.concurrency.split(',').map(Number)) {
    // A hundred connections for a hundred rows in work is nothing that anybody should do.
    if (concurrency === 100 && formBench.hundredAtATime === undefined) continue;
    const rows = rowsOf(form, concurrency);
    let statements = 0;
    const [hand, ours] = await inTurns(
      rounds,
      async () => (await measureByHand(bench, formBench, concurrency, rows)).rate,
      async () => {
        const measured = await measureOurs(bench, formBench, concurrency, rows);
        ({ statements } = measured);
        return measured.rate;
      },
    );
    print([bench.title, form, concurrency, ...compared(hand, ours), counted(statements)]);
  }
}

async function compareProducers(bench: Bench, form: string, formBench: FormBench): Promise<void> {
  const [alone, beside] = await inTurns(
    rounds,
    () => measureProducers(bench, formBench, 0),
    () => measureProducers(bench, formBench, inWork),
  );
  print([bench.title, form, ...compared(alone, beside)]);
}

/** Both medians, and the ratio of the second to the first, round by round, with its interval. */
function compared(first: readonly number[], second: readonly number[]): (number | string)[] {
  const ratios = second.map((rate, index) => rate / (first[index] ?? NaN));
  const [low, high] = medianInterval(ratios);
  return [
    Math.round(median(first)),
    Math.round(median(second)),
    median(ratios).toFixed(2),
    `${low.toFixed(2)}–${high.toFixed(2)}`,
  ];
}

function counted(statements: number): string {
  return statements === 0 ? '' : statements.toFixed(0);
}

function print(cells: readonly (number | string)[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}
