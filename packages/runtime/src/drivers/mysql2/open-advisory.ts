import { InboxError } from '../../errors/inbox-error.js';
import type { MysqlAdvisoryStatements, OwnLockStatements } from '../../spec.js';
import type { InsertStatement } from '../../statement.js';
import type { HoldStore } from '../hold-store.js';
import type { OwnLock } from '../own-lock.js';
import { refusingHoldStore } from '../refusing-store.js';
import type { DriverTable } from '../tables.js';
import { mysqlNamedLocks } from './advisory-locks.js';
import { mysqlAdvisoryStore } from './advisory-store.js';
import { mysqlOwnLocks } from './own-locks.js';
import type { MysqlServer } from './server.js';
import type { MysqlSession } from './session.js';

/** Opens a table in advisory form: with our lock, or with its author's own, in SQL or as functions. */
export function openMysqlAdvisory(
  session: MysqlSession,
  server: MysqlServer,
  shape: DriverTable,
  statements: MysqlAdvisoryStatements | OwnLockStatements,
  functions: OwnLock<'mysql' | 'mariadb'> | undefined,
): HoldStore {
  if ('claim' in statements) {
    const table = { ...shape, statements };
    return mysqlAdvisoryStore(session, server, table, mysqlNamedLocks(session, table));
  }
  // An insert of this family has a list; the type is that of all databases.
  const insert = statements.insert as InsertStatement;
  const table = { ...shape, statements: { ...statements, insert } };
  const locks = mysqlOwnLocks(session, table, functions);
  return locks === undefined
    ? refusingHoldStore(noLock(shape))
    : mysqlAdvisoryStore(session, server, table, locks);
}

function noLock({ queue, table }: DriverTable): InboxError {
  return new InboxError(
    'bad-option',
    `Queue ${queue}: table ${table} is locked by functions of its author, and none were given. Give the class { lock, unlock }.`,
    { queue },
  );
}
