import { InboxError } from '../../errors/inbox-error.js';
import { databaseFile } from './database-file.js';
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
  /** Calls a listener when the connection is closed, or found closed. */
  onClose(listener: () => void): void;
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
  const listeners: (() => void)[] = [];
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    if (connection !== undefined && connection.handle !== given) connection.handle.close();
    connection = undefined;
    for (const listener of listeners) listener();
  }

  return {
    close,
    onClose(listener) {
      listeners.push(listener);
    },
    open() {
      if (!given.open && !closed) close();
      if (closed) {
        throw closedError();
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

/** Says that the handle, and with it all that was in work, has ended. */
export function closedError(): InboxError {
  return new InboxError(
    'database-closed',
    'The SQLite handle has been closed. Stop the workers before db.close(), or give the queue a handle that stays open.',
  );
}

function secondHandle(given: SqliteHandle): SqliteHandle {
  const constructor = given.constructor as unknown as HandleConstructor;
  return withoutWaiting(given, () => {
    const handle = new constructor(databaseFile(given, 'main') ?? given.name, {
      timeout: 0,
      fileMustExist: true,
    });
    try {
      for (const pragma of ['foreign_keys', 'synchronous']) {
        handle.prepare(`PRAGMA ${pragma} = ${readPragma(given, pragma)}`).run([]);
      }
    } catch (error) {
      handle.close();
      throw error;
    }
    return handle;
  });
}

/** Does something with the given handle whose busy wait must not block the event loop. */
function withoutWaiting<Result>(given: SqliteHandle, run: () => Result): Result {
  const timeout = readPragma(given, 'busy_timeout');
  const wait = (milliseconds: string): void => {
    prepareExactly(given, `PRAGMA busy_timeout = ${milliseconds}`).get([]);
  };
  wait('0');
  try {
    return run();
  } finally {
    wait(timeout);
  }
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
