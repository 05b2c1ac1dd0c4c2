import type { MysqlRowLockStatements } from 'inbox-runtime/v1';
import type { FormBench } from '../../bench.js';
import { LockedReportQueue } from '../../generated/index.js';
import { begin, onOneConnection, run, write, type MysqlServer } from './server.js';

/** How many due rows a claim looks at: more than there are tasks. */
const candidates = '24';

/** The row-lock form: a task keeps one connection, and has one transaction a row. */
export function rowLockBench(
  { pool, database }: MysqlServer,
  { claim, ack }: MysqlRowLockStatements,
): FormBench {
  return {
    table: 'locked_reports',
    queue: new LockedReportQueue(database),
    rowByRow: (progress) =>
      onOneConnection(pool, async (connection) => {
        while (!progress.finished) {
          await begin(connection);
          const [row] = await run(connection, claim.text, [candidates]);
          if (row === undefined) {
            await connection.query('ROLLBACK');
            continue;
          }
          JSON.parse(row[2] ?? '');
          progress.handled();
          const count = await write(connection, ack.text, [row[0] ?? null]);
          if (count !== 1) throw new Error('a locked row was gone');
          await connection.query('COMMIT');
        }
      }),
  };
}
