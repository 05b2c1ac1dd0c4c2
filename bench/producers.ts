import { payloadOf, type Bench, type FormBench } from './bench.js';

/** How many tasks add rows, one at a time each. */
const producers = 4;

/** How many rows each of them adds in a round. */
const rowsEach = 75;

/**
 * How many rows a second four producers add, while `holding` handlers hold a row each and do nothing
 * else. Throws where the table does not have every row afterwards.
 */
export async function measureProducers(
  bench: Bench,
  { table, queue }: FormBench,
  holding: number,
): Promise<number> {
  const due = 100;
  await bench.fill(table, due);
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let inWork = 0;
  const worker =
    holding === 0
      ? undefined
      : queue.work(
          () => {
            inWork += 1;
            return held;
          },
          { concurrency: holding },
        );
  await worker?.ready;
  while (inWork < holding) await new Promise((resolve) => setTimeout(resolve, 1));

  const start = performance.now();
  await Promise.all(
    Array.from({ length: producers }, async () => {
      for (let n = 0; n < rowsEach; n += 1) await queue.enqueue({ payload: payloadOf(n) });
    }),
  );
  const seconds = (performance.now() - start) / 1_000;

  const stopped = worker?.stop();
  letGo();
  await stopped;
  const left = await bench.left(table);
  if (left !== due - holding + producers * rowsEach) throw new Error(`${left} rows are left`);
  return (producers * rowsEach) / seconds;
}
