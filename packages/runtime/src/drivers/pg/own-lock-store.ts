import type { OwnLockStatements, PostgresAdvisoryStatements } from '../../spec.js';
import type { Statement } from '../../statement.js';
import type { HoldStore } from '../hold-store.js';
import type { DriverTable } from '../tables.js';
import type { PgHeldClient } from './held-client.js';
import { holdStatement, holdStatementIf } from './hold-statement.js';
import { pgLockStore, type PgLocked } from './lock-store.js';
import { ownLockFailed, type PgOwnLock } from './own-lock.js';
import type { PgRow } from './pool.js';
import type { PgSession } from './session.js';
import { begin, commit } from './transaction.js';

/** How often a claim looks further, at four times as many rows, where every key is locked. */
const mostRounds = 3;

/**
 * A table in advisory form whose lock is its author's own. No statement of ours sees who holds such
 * a lock: a claim tries it on one due row after the other. Only the lock decides which of them are
 * in work, also in this process.
 */
export function pgOwnLockStore(
  session: PgSession,
  table: DriverTable,
  statements: OwnLockStatements,
  ownLock: PgOwnLock,
): HoldStore {
  const candidatesOf = holdStatement(session, statements.candidates, table);
  const count = holdStatementIf(session, statements.count, table);
  const takeRow = holdStatement(session, statements.take, table);

  async function readCandidates(held: PgHeldClient, candidates: number): Promise<readonly PgRow[]> {
    const query = candidatesOf({ candidates });
    const { rows } = await held.within(session.answerTimeout, () => held.query(query));
    return rows as readonly PgRow[];
  }

  /** Counts a delivery of a row that is still due, and reads it. */
  async function countAndTake(
    held: PgHeldClient,
    cells: PgRow,
    transaction: boolean,
  ): Promise<PgRow | undefined> {
    if (transaction) await held.query(begin);
    const counted = count === undefined || (await held.query(count({ cells }))).rowCount === 1;
    const rows = counted ? ((await held.query(takeRow({ cells }))).rows as readonly PgRow[]) : [];
    if (transaction) await held.query(commit);
    return rows[0];
  }

  /** One half of the author's lock, whose failure is told as the author's. */
  function half(which: 'lock' | 'unlock', held: PgHeldClient, key: string): Promise<boolean> {
    return held
      .within(session.answerTimeout, () => ownLock[which](held, key), 'foreign')
      .catch((error: unknown) => {
        throw ownLockFailed(table, which, error);
      });
  }

  /** Locks a candidate's key and takes its row. */
  async function tryRow(
    held: PgHeldClient,
    key: string,
    cells: PgRow,
    transaction: boolean,
  ): Promise<PgLocked | 'locked' | 'gone'> {
    if (!(await half('lock', held, key))) return 'locked';
    const taken = await held.within(session.answerTimeout, () =>
      countAndTake(held, cells, transaction),
    );
    if (taken !== undefined) return { lock: key, lockKey: key, cells: taken };
    if (await half('unlock', held, key)) return 'gone';
    throw ownLockFailed(table, 'unlock', new Error('it answered false'));
  }

  return pgLockStore(session, table, statements, insertOf(statements), {
    own: true,
    unlock: (held, key) => ownLock.unlock(held, String(key)),
    async take(held, candidates, transaction) {
      const refused = new Set<string>();
      for (let round = 1, wanted = candidates; ; round += 1, wanted *= 4) {
        const rows = await readCandidates(held, wanted);
        for (const [key, ...cells] of rows) {
          if (key === null || key === undefined || refused.has(key)) continue;
          const tried = await tryRow(held, key, cells, transaction);
          if (typeof tried !== 'string') return tried;
          if (tried === 'locked') refused.add(key);
        }
        if (rows.length < wanted || round === mostRounds) return 'nothing';
      }
    },
  });
}

/** On this database, new rows cross as arrays. */
function insertOf({ insert }: OwnLockStatements): Statement {
  if (typeof insert.text === 'string') return { text: insert.text, values: insert.values };
  throw new Error('A module for Postgres inserts with one text, whatever the number of rows.');
}

/** Whether a table's statements leave the lock to its author. */
export function isOwnLocked(
  statements: PostgresAdvisoryStatements | OwnLockStatements,
): statements is OwnLockStatements {
  return 'candidates' in statements;
}
