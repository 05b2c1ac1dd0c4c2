import type { Cell } from '../../statement.js';
import type { SqliteConnection } from './connection.js';
import { prepareExactly, type SqliteHandle, type SqliteStatement } from './handle.js';
import type { WriteRequest } from './request.js';
import type { RowBinder } from './values.js';

type Rows = readonly (readonly Cell[])[];

/** Inserts rows, all or none, inside the shared transaction. */
export function insertRequest(
  statement: { readonly text: string; readonly bind: RowBinder },
  rows: Rows,
  deadline: number,
  tell: { readonly resolve: (keys: Rows) => void; readonly reject: (error: unknown) => void },
): WriteRequest {
  let outcome: { readonly keys: Rows } | { readonly error: unknown } = { keys: [] };
  const insert = (connection: SqliteConnection): Rows => {
    const prepared = connection.statement(statement.text);
    return insertAllOrNone(connection.handle, prepared, statement.bind, rows);
  };
  return {
    kind: 'write',
    deadline,
    isIdle: () => false,
    perform(connection) {
      try {
        outcome = { keys: insert(connection) };
      } catch (error) {
        if (!connection.handle.inTransaction) throw error;
        outcome = { error };
      }
    },
    performAlone(connection, transact) {
      try {
        return transact(() => {
          outcome = { keys: insert(connection) };
        });
      } catch (error) {
        outcome = { error };
        return true;
      }
    },
    answer() {
      if ('error' in outcome) tell.reject(outcome.error);
      else tell.resolve(outcome.keys);
    },
    fail: tell.reject,
  };
}

/**
 * Inserts rows on a handle, inside whatever transaction it has; where one fails, none stays.
 * Answers the keys in the order given. Throws what SQLite says.
 */
export function insertAllOrNone(
  handle: SqliteHandle,
  statement: SqliteStatement,
  bind: RowBinder,
  rows: Rows,
): Rows {
  const insert = (row: readonly Cell[]): readonly Cell[] =>
    (statement.all(bind(row, null)) as (readonly Cell[])[])[0] ?? [];
  // One statement is all or none by itself.
  if (rows.length === 1) return rows.map(insert);
  prepareExactly(handle, 'SAVEPOINT inbox_insert').run([]);
  try {
    const keys = rows.map(insert);
    prepareExactly(handle, 'RELEASE inbox_insert').run([]);
    return keys;
  } catch (error) {
    if (handle.inTransaction) {
      prepareExactly(handle, 'ROLLBACK TO inbox_insert').run([]);
      prepareExactly(handle, 'RELEASE inbox_insert').run([]);
    }
    throw error;
  }
}
