import type { FormBench } from '../../bench.js';
import { KeyedReportQueue, keyedReportSpec } from '../../generated/index.js';
import { onOneClient, type PostgresServer } from './server.js';

const statements = keyedReportSpec.statements.postgres;

/** How many due rows a claim looks at: more than there are tasks. */
const candidates = 24;

/** The advisory form: a task keeps one connection, and locks one key a row. */
export function advisoryBench({ pool, database, send }: PostgresServer): FormBench {
  if (!('unlock' in statements) || !('claim' in statements)) throw new Error('not our lock');
  const { claim, ack, unlock } = statements;
  return {
    table: 'keyed_reports',
    queue: new KeyedReportQueue(database),
    rowByRow: (progress) =>
      onOneClient(pool, async (client) => {
        while (!progress.finished) {
          const [answer] = (await send(client, claim, 'bench-lock-key', [candidates])).rows;
          const [found, lock, , id, attempt, payload] = answer ?? [];
          if (lock === null || lock === undefined) {
            if (found === '0') return;
            continue;
          }
          // A row that was settled between the reading and the locking is passed over.
          if (typeof id === 'string') {
            JSON.parse(payload ?? '');
            progress.handled();
            const { count } = await send(client, ack, 'bench-ack-keyed', [id, attempt, lock]);
            if (count !== 1) throw new Error('a row was gone while its key was locked');
          }
          const [[unlocked] = []] = (await send(client, unlock, 'bench-unlock', [lock])).rows;
          if (unlocked !== 'true') throw new Error('a key was not locked any more');
        }
      }),
  };
}
