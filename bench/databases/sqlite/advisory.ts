import { setImmediate as turn } from 'node:timers/promises';
import type { FormBench } from '../../bench.js';
import { KeyedReportQueue, keyedReportSpec } from '../../generated/index.js';
import type { SqliteFile } from './file.js';

const { candidates, take, ack } = keyedReportSpec.statements.sqlite;

type Row = readonly [id: bigint, attempt: bigint, payload: string];

/** The advisory form: a set in the process keeps the keys in work. */
export function advisoryBench({ handle, database }: SqliteFile): FormBench {
  const statements = {
    candidates: handle.prepare(candidates.text).raw().safeIntegers(),
    take: handle.prepare(take.text).raw().safeIntegers(),
    ack: handle.prepare(ack.text).safeIntegers(),
  };
  const keys = new Set<string>();
  const claim = handle.transaction((): readonly [string, Row] | undefined => {
    const [found] = statements.candidates.all(JSON.stringify([...keys]), 1n) as [string, bigint][];
    if (found === undefined) return undefined;
    const [row] = statements.take.all(found[1]) as Row[];
    return row === undefined ? undefined : [found[0], row];
  });
  return {
    table: 'keyed_reports',
    queue: new KeyedReportQueue(database),
    async rowByRow({ handled }) {
      for (;;) {
        const claimed = claim.immediate();
        if (claimed === undefined) return;
        const [key, [id, attempt, payload]] = claimed;
        keys.add(key);
        JSON.parse(payload);
        const last = handled();
        if (statements.ack.run(id, attempt).changes !== 1) throw new Error('a row was gone');
        keys.delete(key);
        if (last) return;
        // A worker that shares its process lets others run between two claims.
        await turn();
      }
    },
  };
}
