import { setImmediate as turn } from 'node:timers/promises';
import type { FormBench, Progress } from '../../bench.js';
import { ReportQueue, reportSpec } from '../../generated/index.js';
import type { SqliteFile } from './file.js';

const { claim, stamp, ack } = reportSpec.statements.sqlite;

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = 30_000n;

type Row = readonly [id: bigint, held: bigint, attempt: bigint, payload: string];

/** The lease form: claims and acknowledgements are a transaction each. */
export function leaseBench({ handle, database }: SqliteFile): FormBench {
  const statements = {
    claim: handle.prepare(claim.text).raw().safeIntegers(),
    stamp: handle.prepare(stamp.text).safeIntegers(),
    ack: handle.prepare(ack.text).safeIntegers(),
  };
  const take = handle.transaction((limit: bigint): Row[] => {
    const rows = statements.claim.all(lease, limit) as Row[];
    for (const [id, held, attempt] of rows) statements.stamp.run(held, attempt, id);
    return rows;
  });
  const settle = handle.transaction((rows: readonly Row[]) => {
    for (const [id, held, attempt] of rows) statements.ack.run(id, held, attempt);
  });
  const loop = async (limit: bigint, { handled }: Progress): Promise<void> => {
    for (;;) {
      const rows = take.immediate(limit);
      if (rows.length === 0) return;
      let last = false;
      for (const row of rows) {
        JSON.parse(row[3]);
        last = handled();
      }
      settle.immediate(rows);
      if (last) return;
      // A worker that shares its process lets others run between two claims.
      await turn();
    }
  };
  return {
    table: 'reports',
    queue: new ReportQueue(database),
    rowByRow: (progress) => loop(1n, progress),
    hundredAtATime: (progress) => loop(100n, progress),
  };
}
