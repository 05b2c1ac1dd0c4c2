import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { OwnLockStatements } from '../../spec.js';
import type { OwnLock, PostgresLockConnection } from '../own-lock.js';
import type { DriverTable } from '../tables.js';
import type { PgHeldClient } from './held-client.js';
import { holdStatement, type PgHoldStatement } from './hold-statement.js';
import type { PgRow } from './pool.js';
import type { PgSession } from './session.js';

/** A lock of a table's author, on one session: SQL of the table's, or two functions. */
export interface PgOwnLock {
  lock(held: PgHeldClient, key: string): Promise<boolean>;
  unlock(held: PgHeldClient, key: string): Promise<boolean>;
}

/** The lock of a table's author, or the refusal of a table that was given none. */
export function pgOwnLock(
  session: PgSession,
  table: DriverTable,
  statements: OwnLockStatements,
  functions: OwnLock<'postgres'> | undefined,
): PgOwnLock | InboxError {
  const { lock, unlock } = statements;
  if (lock !== undefined && unlock !== undefined) {
    return {
      lock: bySql(holdStatement(session, lock, table)),
      unlock: bySql(holdStatement(session, unlock, table)),
    };
  }
  if (functions !== undefined) {
    // Async, so that one that throws at once rejects like one that throws later.
    return {
      lock: async (held, key) => functions.lock(asAuthorsSee(held), key),
      unlock: async (held, key) => functions.unlock(asAuthorsSee(held), key),
    };
  }
  return new InboxError(
    'bad-option',
    `Queue ${table.queue}: table ${table.table} is locked by functions of its author, and none were given. Give the class { lock, unlock }.`,
    { queue: table.queue },
  );
}

function bySql(statement: PgHoldStatement): PgOwnLock['lock'] {
  return async (held, key) => {
    const [row] = (await held.query(statement({ lock: key }))).rows as readonly PgRow[];
    return isTrue(row?.[0]);
  };
}

/** The client is the pool's own, which takes a text and its values, too. */
function asAuthorsSee({ client }: PgHeldClient): PostgresLockConnection {
  return client;
}

/** Whether a lock's answer says yes: a boolean, or a number other than 0, as the server writes it. */
function isTrue(cell: string | null | undefined): boolean {
  return cell === 't' || cell === 'true' || (/^-?\d+$/.test(cell ?? '') && Number(cell) !== 0);
}

/** What a claim rejects with where an author's lock or unlock threw, or unlock answered false. */
export function ownLockFailed(
  { queue, table }: DriverTable,
  which: 'lock' | 'unlock',
  cause: unknown,
): InboxError {
  return new InboxError(
    'own-lock-failed',
    `Queue ${queue}: the ${which} of table ${table} failed: ${messageOf(cause)}. Its connection was closed, which frees what the session had locked; the next claim tries again. A lock answers true or false, without waiting for another holder.`,
    { queue, cause },
  );
}
