import type { PostgresAdvisoryStatements } from '../../spec.js';
import type { Cell } from '../../statement.js';
import type { HoldStore } from '../hold-store.js';
import type { DriverTable } from '../tables.js';
import type { PgHeldClient } from './held-client.js';
import { holdStatement } from './hold-statement.js';
import { pgLockStore } from './lock-store.js';
import type { PgRow } from './pool.js';
import type { PgSession } from './session.js';
import { begin, commit } from './transaction.js';

/**
 * A table in advisory form on Postgres with our lock: one statement locks a free key, passing those
 * that any session has locked, and takes its row.
 */
export function pgAdvisoryStore(
  session: PgSession,
  table: DriverTable,
  statements: PostgresAdvisoryStatements,
): HoldStore {
  const claimOne = holdStatement(session, statements.claim, table);
  const giveBack = holdStatement(session, statements.unlock, table);

  async function unlock(held: PgHeldClient, lock: Cell): Promise<boolean> {
    const [row] = (await held.query(giveBack({ lock }))).rows as readonly PgRow[];
    return row?.[0] === 'true' || row?.[0] === 't';
  }

  return pgLockStore(session, table, statements, statements.insert, {
    own: false,
    unlock,
    take: (held, candidates, transaction) =>
      held.within(session.answerTimeout, async () => {
        if (transaction) await held.query(begin);
        const [row] = (await held.query(claimOne({ candidates }))).rows as readonly PgRow[];
        if (transaction) await held.query(commit);
        const [seen, lock, lockKey, ...cells] = row ?? [];
        if (lock === undefined || lock === null) {
          return Number(seen ?? 0) < candidates ? 'nothing' : 'outrun';
        }
        if ((cells[0] ?? null) !== null) return { lock, lockKey: lockKey ?? '', cells };
        // The row was settled between its being seen and its key's being locked.
        if (await unlock(held, lock)) return 'outrun';
        throw new Error('A lock just taken was given back, and the session did not hold it.');
      }),
  });
}
