import { InboxError } from '../../errors/inbox-error.js';
import { prepareExactly, type SqliteHandle, type SqliteStatement } from './handle.js';

/** An open connection and the statements prepared on it. */
export interface SqliteConnection {
  readonly handle: SqliteHandle;
  /** Whether the handle is the caller's, whose own statements may come between two of our turns. */
  readonly shared: boolean;
  readonly begin: SqliteStatement;
  readonly commit: SqliteStatement;
  readonly rollback: SqliteStatement;
  /** A statement, prepared once. */
  statement(text: string): SqliteStatement;
}

/** The connection that a queue's transactions run on, opened when it is first used. */
export interface SqliteConnector {
  /** Throws an `InboxError` with code `database-closed`, or what SQLite says on opening. */
  open(): SqliteConnection;
  close(): void;
}

type HandleConstructor = new (file: string, options: object) => SqliteHandle;

/**
 * A second connection to the given handle's file, without any busy wait, so that a locked file
 * never blocks the event loop, and so that our transactions and the caller's do not mix. It follows
 * the given handle's `foreign_keys` and `synchronous`, and is closed when the given handle is. A
 * database in memory has no second connection: the given handle itself is used.
 */
export function sqliteConnector(given: SqliteHandle, own: boolean): SqliteConnector {
  let connection: SqliteConnection | undefined;
  let closed = false;

  function close(): void {
    closed = true;
    if (connection !== undefined && connection.handle !== given) connection.handle.close();
    connection = undefined;
  }

  return {
    close,
    open() {
      if (!given.open && !closed) close();
      if (closed) {
        throw new InboxError(
          'database-closed',
          'The SQLite handle has been closed. Stop the workers before db.close(), or give the queue a handle that stays open.',
        );
      }
      if (given.readonly) {
        throw new InboxError(
          'wrong-database',
          'The SQLite handle is read-only. A queue writes: open the file without { readonly: true }.',
        );
      }
      connection ??=
        own && !given.memory ? connectionOf(secondHandle(given), false) : connectionOf(given, true);
      return connection;
    },
  };
}

function secondHandle(given: SqliteHandle): SqliteHandle {
  const constructor = given.constructor as unknown as HandleConstructor;
  const handle = new constructor(fileOf(given), { timeout: 0, fileMustExist: true });
  try {
    for (const pragma of ['foreign_keys', 'synchronous']) {
      handle.prepare(`PRAGMA ${pragma} = ${readPragma(given, pragma)}`).run([]);
    }
  } catch (error) {
    handle.close();
    throw error;
  }
  return handle;
}

/** The file's absolute path, as SQLite knows it: a relative name may no longer lead there. */
function fileOf(given: SqliteHandle): string {
  const databases = prepareExactly(given, 'PRAGMA database_list').all([]) as unknown[][];
  const file = databases.find(([, name]) => name === 'main')?.[2];
  return typeof file === 'string' && file !== '' ? file : given.name;
}

function readPragma(given: SqliteHandle, pragma: string): string {
  const row = prepareExactly(given, `PRAGMA ${pragma}`).get([]) as [bigint] | undefined;
  return String(row?.[0] ?? 1n);
}

function connectionOf(handle: SqliteHandle, shared: boolean): SqliteConnection {
  const statements = new Map<string, SqliteStatement>();
  const statement = (text: string): SqliteStatement => {
    let prepared = statements.get(text);
    if (prepared === undefined) {
      prepared = prepareExactly(handle, text);
      statements.set(text, prepared);
    }
    return prepared;
  };
  return {
    handle,
    shared,
    begin: statement('BEGIN IMMEDIATE'),
    commit: statement('COMMIT'),
    rollback: statement('ROLLBACK'),
    statement,
  };
}
