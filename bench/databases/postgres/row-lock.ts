import type { FormBench } from '../../bench.js';
import { LockedReportQueue, lockedReportSpec } from '../../generated/index.js';
import { onOneClient, type PostgresServer } from './server.js';

const { claim, ack } = lockedReportSpec.statements.postgres;

/** The row-lock form: a task keeps one connection, and has one transaction a row. */
export function rowLockBench({ pool, database, send }: PostgresServer): FormBench {
  return {
    table: 'locked_reports',
    queue: new LockedReportQueue(database),
    rowByRow: ({ handled }) =>
      onOneClient(pool, async (client) => {
        for (;;) {
          await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
          const [row] = (await send(client, claim, 'bench-lock-row', [])).rows;
          if (row === undefined) {
            await client.query('ROLLBACK');
            return;
          }
          JSON.parse(row[2] ?? '');
          const last = handled();
          const { count } = await send(client, ack, 'bench-ack-locked', [row[0]]);
          if (count !== 1) throw new Error('a locked row was gone');
          await client.query('COMMIT');
          if (last) return;
        }
      }),
  };
}
