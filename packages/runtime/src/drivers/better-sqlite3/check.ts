import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { DriverTable } from '../tables.js';
import type { SqliteConnection, SqliteConnector } from './connection.js';
import { isBusy } from './failure.js';
import { prepareExactly, type SqliteHandle } from './handle.js';

/** SQLite 3.35: the first with RETURNING. */
const oldestVersion = [3, 35] as const;

/** A statement to be prepared, and whether the given handle executes it instead of ours. */
export interface CheckedStatement {
  readonly name: string;
  readonly text: string;
  readonly onGiven?: boolean;
}

/**
 * Checks, without executing anything: that the file can be opened and written, that SQLite is new
 * enough, and that it can prepare every statement of the table. Throws one `InboxError`:
 * `database-unreachable`, `database-closed`, `wrong-database`, `server-too-old`, `table-missing`,
 * `column-missing` or `statement-refused`; an error of SQLite's own only where the file is locked,
 * so that the caller asks again.
 */
export function checkSqlite(
  given: SqliteHandle,
  connector: SqliteConnector,
  table: DriverTable,
  statements: readonly CheckedStatement[],
): void {
  const { queue } = table;
  const connection = openFor(queue, connector);
  const [version] = prepareExactly(connection.handle, 'SELECT sqlite_version()').get([]) as [
    string,
  ];
  if (isTooOld(version)) {
    throw new InboxError(
      'server-too-old',
      `Queue ${queue}: this is SQLite ${version}; inbox-runtime needs 3.35 or newer. Use a newer better-sqlite3.`,
      { queue },
    );
  }
  // A statement is prepared from the schema that a connection remembers; a read makes it look again.
  prepareExactly(connection.handle, 'SELECT 1 FROM sqlite_master LIMIT 1').get([]);
  for (const statement of statements) {
    const handle = statement.onGiven === true ? given : connection.handle;
    checkStatement(handle, given, table, statement);
  }
}

function openFor(queue: string, connector: SqliteConnector): SqliteConnection {
  try {
    return connector.open();
  } catch (cause) {
    if (isBusy(cause)) throw cause;
    const code = cause instanceof InboxError ? cause.code : 'database-unreachable';
    throw new InboxError(code, `Queue ${queue}: ${messageOf(cause)}.`, { queue, cause });
  }
}

function checkStatement(
  handle: SqliteHandle,
  given: SqliteHandle,
  { queue, table }: DriverTable,
  { name, text }: CheckedStatement,
): void {
  try {
    handle.prepare(text);
  } catch (cause) {
    if (isBusy(cause)) throw cause;
    const message = messageOf(cause);
    if (message.includes('no such table')) {
      throw new InboxError(
        'table-missing',
        `Queue ${queue}: table ${table} is not in ${given.name}: ${message}. Create it, or open the file that has it.`,
        { queue, cause },
      );
    }
    if (message.includes('no such column') || message.includes('has no column named')) {
      throw new InboxError(
        'column-missing',
        `Queue ${queue}: table ${table} in ${given.name} is not as its DDL says: ${message}. Migrate the table, or change the SQL and run inbox-gen again.`,
        { queue, cause },
      );
    }
    throw new InboxError(
      'statement-refused',
      `Queue ${queue}: ${given.name} refuses the statement "${name}" of table ${table}: ${message}. The table probably differs from its DDL: migrate it, or change the SQL and run inbox-gen again.`,
      { queue, cause },
    );
  }
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
