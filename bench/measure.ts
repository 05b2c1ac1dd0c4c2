import type { Bench } from './bench.js';
import { ReportQueue } from './generated/index.js';

/** What one side of one round reached. */
export interface Measured {
  /** Rows handled a second, between the first and the last. */
  readonly rate: number;
  /** Statements sent for a thousand rows. */
  readonly statements: number;
}

/** Counts handled rows and takes the time between the first and the last. */
function stopwatch(rows: number): { handled: () => boolean; rate: () => number } {
  let count = 0;
  let first = 0;
  let last = 0;
  return {
    handled() {
      count += 1;
      if (count === 1) first = performance.now();
      if (count === rows) last = performance.now();
      return count >= rows;
    },
    rate() {
      if (count !== rows) throw new Error(`${count} rows were handled instead of ${rows}`);
      return ((rows - 1) / (last - first)) * 1_000;
    },
  };
}

/** Our worker on `rows` fresh rows. Throws where the table is not empty afterwards. */
export async function measureOurs(
  bench: Bench,
  concurrency: number,
  rows: number,
): Promise<Measured> {
  await bench.fill(rows);
  const watch = stopwatch(rows);
  const worker = new ReportQueue(bench.database).work(
    () => {
      watch.handled();
    },
    { concurrency },
  );
  await worker.ready;
  await bench.sent();
  while (worker.stats().acked < rows) await new Promise((resolve) => setTimeout(resolve, 5));
  const statements = ((await bench.sent()) / rows) * 1_000;
  await worker.stop();
  return finish(bench, watch.rate(), statements);
}

/** The hand-written loop on `rows` fresh rows: many tasks row by row, or one task by the hundred. */
export async function measureByHand(
  bench: Bench,
  concurrency: number,
  rows: number,
): Promise<Measured> {
  await bench.fill(rows);
  const watch = stopwatch(rows);
  await bench.sent();
  if (concurrency === 100) {
    await bench.hundredAtATime(watch.handled);
  } else {
    await Promise.all(Array.from({ length: concurrency }, () => bench.rowByRow(watch.handled)));
  }
  return finish(bench, watch.rate(), ((await bench.sent()) / rows) * 1_000);
}

async function finish(bench: Bench, rate: number, statements: number): Promise<Measured> {
  const left = await bench.left();
  if (left !== 0) throw new Error(`${left} rows are left in the table`);
  return { rate, statements };
}
