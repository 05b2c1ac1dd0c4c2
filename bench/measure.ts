import type { Bench, FormBench, Progress } from './bench.js';

/** What one side of one round reached. */
export interface Measured {
  /** Rows handled a second, from when all places are busy to the last row. */
  readonly rate: number;
  /** Statements sent for a thousand rows. */
  readonly statements: number;
}

/**
 * Counts handled rows and takes the time to the last, from a row by which every place of a worker that
 * begins with one claim, and doubles them with success, is busy.
 */
function stopwatch(rows: number, concurrency: number): Progress & { rate(): number } {
  const from = concurrency === 100 ? 1 : 4 * concurrency;
  let count = 0;
  let first = 0;
  let last = 0;
  return {
    handled() {
      count += 1;
      if (count === from) first = performance.now();
      if (count === rows) last = performance.now();
      return count >= rows;
    },
    get finished() {
      return count >= rows;
    },
    rate() {
      if (count !== rows) throw new Error(`${count} rows were handled instead of ${rows}`);
      return ((rows - from) / (last - first)) * 1_000;
    },
  };
}

/** Our worker on `rows` fresh rows. Throws where the table is not empty afterwards. */
export async function measureOurs(
  bench: Bench,
  { table, queue }: FormBench,
  concurrency: number,
  rows: number,
): Promise<Measured> {
  await bench.fill(table, rows);
  const watch = stopwatch(rows, concurrency);
  const worker = queue.work(
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
  return finish(bench, table, watch.rate(), statements);
}

/** The hand-written loop on `rows` fresh rows: many tasks row by row, or one task by the hundred. */
export async function measureByHand(
  bench: Bench,
  { table, rowByRow, hundredAtATime }: FormBench,
  concurrency: number,
  rows: number,
): Promise<Measured> {
  await bench.fill(table, rows);
  const watch = stopwatch(rows, concurrency);
  await bench.sent();
  if (concurrency === 100 && hundredAtATime !== undefined) {
    await hundredAtATime(watch);
  } else {
    await Promise.all(Array.from({ length: concurrency }, () => rowByRow(watch)));
  }
  return finish(bench, table, watch.rate(), ((await bench.sent()) / rows) * 1_000);
}

async function finish(
  bench: Bench,
  table: string,
  rate: number,
  statements: number,
): Promise<Measured> {
  const left = await bench.left(table);
  if (left !== 0) throw new Error(`${left} rows are left in the table`);
  return { rate, statements };
}
