import type { MysqlAdvisoryStatements, OwnLockStatements } from 'inbox-runtime/v1';
import type { FormBench } from '../../bench.js';
import { KeyedReportQueue } from '../../generated/index.js';
import { onOneConnection, run, write, type MysqlServer } from './server.js';

/** How many due rows a claim looks at: more than there are tasks. */
const candidates = '24';

/** The advisory form: a task keeps one connection, and locks one key a row. */
export function advisoryBench(
  { pool, database }: MysqlServer,
  statements: MysqlAdvisoryStatements | OwnLockStatements,
): FormBench {
  if (!('claim' in statements)) throw new Error('not our lock');
  const { claim, count, take, ack, unlock } = statements;
  if (count === undefined) throw new Error('the table does not count');
  return {
    table: 'keyed_reports',
    queue: new KeyedReportQueue(database),
    rowByRow: (progress) =>
      onOneConnection(pool, async (connection) => {
        while (!progress.finished) {
          const [locked] = await run(connection, claim.text, [candidates]);
          const [lock, , key] = locked ?? [];
          if (typeof lock !== 'string' || typeof key !== 'string') continue;
          // A row that was settled between the reading and the locking is passed over.
          if ((await write(connection, count.text, [key])) === 1) {
            const [row] = await run(connection, take.text, [key]);
            JSON.parse(row?.[2] ?? '');
            progress.handled();
            const gone = await write(connection, ack.text, [key, row?.[1] ?? null, lock]);
            if (gone !== 1) throw new Error('a row was gone while its key was locked');
          }
          const [[unlocked] = []] = await run(connection, unlock.text, [lock]);
          if (unlocked !== '1') throw new Error('a key was not locked any more');
        }
      }),
  };
}
