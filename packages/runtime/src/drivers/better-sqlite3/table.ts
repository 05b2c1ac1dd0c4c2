import { InboxError } from '../../errors/inbox-error.js';
import type { Statement } from '../../statement.js';
import type { TableStore } from '../table-store.js';
import type { DriverTable } from '../tables.js';
import { checkSqlite, type CheckedStatement } from './check.js';
import type { SqliteConnector } from './connection.js';
import { isBusy, stillLocked } from './failure.js';
import { isHandle, prepareExactly, type SqliteHandle, type SqliteStatement } from './handle.js';
import { insertAllOrNone, insertRequest } from './insert-request.js';
import { rowBinder } from './values.js';
import type { SqliteWriter } from './writer.js';

/** What the tables of one database work with. */
export interface SqliteContext {
  /** The caller's handle. */
  readonly given: SqliteHandle;
  readonly connector: SqliteConnector;
  readonly writer: SqliteWriter;
}

/** What the stores of all forms can do on SQLite. */
export function sqliteTable(
  { given, connector, writer }: SqliteContext,
  table: DriverTable,
  insertStatement: Statement,
  checked: readonly CheckedStatement[],
): TableStore {
  const { clock } = writer;
  const insert = {
    text: insertStatement.text,
    // A new row's values are its columns; there is no row yet for others to be found in.
    bind: rowBinder(insertStatement, () => undefined, clock),
  };
  const insertOn = new WeakMap<SqliteHandle, SqliteStatement>();

  return {
    async check() {
      const until = writer.deadline();
      for (;;) {
        try {
          checkSqlite(given, connector, table, checked);
          return [];
        } catch (error) {
          if (!isBusy(error)) throw error;
          if (clock.monotonic() >= until) throw stillLocked(writer.budget, error, table.queue);
          await new Promise<void>((resolve) => {
            clock.after(10, resolve);
          });
        }
      }
    },
    synchronousTx: true,
    insert: (rows) =>
      new Promise((resolve, reject) => {
        writer.add(insertRequest(insert, rows, writer.deadline(), { resolve, reject }));
      }),
    insertInto(tx, rows) {
      if (!isHandle(tx)) {
        throw new InboxError(
          'wrong-transaction',
          `Queue ${table.queue}: "tx" is no better-sqlite3 Database. Give the handle that your transaction runs on.`,
          { queue: table.queue },
        );
      }
      let statement = insertOn.get(tx);
      if (statement === undefined) {
        statement = prepareExactly(tx, insert.text);
        insertOn.set(tx, statement);
      }
      return insertAllOrNone(tx, statement, insert.bind, rows);
    },
  };
}

/** The statements of a set, to be checked. */
export function checkedStatements(
  set: Readonly<Record<string, Statement | undefined>>,
): CheckedStatement[] {
  return Object.entries(set).flatMap(([name, statement]) =>
    statement === undefined ? [] : [{ name, text: statement.text }],
  );
}
