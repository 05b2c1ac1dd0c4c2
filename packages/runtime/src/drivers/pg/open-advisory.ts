import { InboxError } from '../../errors/inbox-error.js';
import type { HoldStore } from '../hold-store.js';
import type { OwnLock } from '../own-lock.js';
import { refusingHoldStore } from '../refusing-store.js';
import type { AdvisoryTable } from '../tables.js';
import { pgAdvisoryStore } from './advisory-store.js';
import { pgOwnLock } from './own-lock.js';
import { isOwnLocked, pgOwnLockStore } from './own-lock-store.js';
import type { PgSession } from './session.js';

/** A table in advisory form on Postgres, with our lock or with its author's own. */
export function openPgAdvisory(
  session: PgSession,
  table: AdvisoryTable<'postgres'>,
  functions: OwnLock<'postgres'> | undefined,
): HoldStore {
  const statements = table.statements.postgres;
  if (!isOwnLocked(statements)) return pgAdvisoryStore(session, table, statements);
  const ownLock = pgOwnLock(session, table, statements, functions);
  return ownLock instanceof InboxError
    ? refusingHoldStore(ownLock)
    : pgOwnLockStore(session, table, statements, ownLock);
}
