import type { Hold, HoldStore } from '../hold-store.js';
import type { RowLockTable } from '../tables.js';
import { checkPostgres } from './check.js';
import { pgHold } from './hold.js';
import { holdStatement, holdStatementIf } from './hold-statement.js';
import { pgInserter } from './insert.js';
import { rowLockLimits } from './limits.js';
import type { PgRow } from './pool.js';
import { settleRowLock, type RowLockWrites } from './row-lock-settle.js';
import type { PgSession } from './session.js';
import { begin, rollback } from './transaction.js';

/**
 * A table in row-lock form on Postgres: the transaction of a claim stays open, on a client of its
 * own, until the row is settled.
 */
export function pgRowLockStore(session: PgSession, table: RowLockTable<'postgres'>): HoldStore {
  const statements = table.statements.postgres;
  const due = holdStatement(session, statements.due, table);
  const claimOne = holdStatement(session, statements.claim, table);
  const retry = holdStatementIf(session, statements.retry, table);
  const writes: RowLockWrites = {
    ack: holdStatement(session, statements.ack, table),
    ...(retry === undefined ? {} : { retry }),
  };
  const inserter = pgInserter(session, table.queue, statements.insert);

  /** Looks without a transaction: an idle queue costs one statement a poll. */
  async function isAnythingDue(): Promise<boolean> {
    const rows = await session.look(() => due({}));
    return rows.length > 0;
  }

  async function tryToClaim(): Promise<readonly Hold[]> {
    const { parking } = session;
    const held = parking.take('begun') ?? parking.take('clean') ?? (await session.checkOut());
    try {
      const [cells] = await held.within(session.answerTimeout, async () => {
        if (!held.begun) await held.query(begin);
        held.begun = false;
        const { rows } = await held.query(claimOne({}));
        if (rows.length === 0) await held.query(rollback);
        return rows as readonly PgRow[];
      });
      if (cells === undefined) {
        held.giveBack();
        return [];
      }
      return [
        pgHold(held, { cells, lockKey: null }, session.answerTimeout, (verb, milliseconds) =>
          settleRowLock(session, held, writes[verb], cells, milliseconds),
        ),
      ];
    } catch (error) {
      await held.recover(error, session.answerTimeout);
      throw error;
    }
  }

  return {
    rowsPerClaim: 1,
    chains: true,
    check: () => checkPostgres(session, table, statements, rowLockLimits),
    async claim(_limit, { idle }) {
      if (idle && !(await isAnythingDue())) return [];
      for (let tries = 1; ; tries += 1) {
        try {
          return await tryToClaim();
        } catch (error) {
          if (!(await session.mayTryAfter(error, tries))) throw error;
        }
      }
    },
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}
