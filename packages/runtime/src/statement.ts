/**
 * What one value looks like on its way from or to a database.
 *
 * Statements are written so that nothing is read through a setting of the user's driver: 64-bit
 * integers and instants cross as text (or, on SQLite, as `bigint`), booleans as `true`/`1` or
 * `false`/`0`, JSON as its text, bytes as bytes or as hexadecimal text.
 */
export type Cell = string | bigint | number | Uint8Array | null;

/** The databases that a generated class can be written for. */
export type DatabaseName = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/**
 * One SQL text and the order of its values. The names stand for what the runtime binds:
 *
 * - `lease`: how long a row is held, in milliseconds.
 * - `after`: how long a retried row waits, in milliseconds; null for "due at once".
 * - `limit`: how many rows a claim may take. `candidates`: how many it may look at to find them.
 * - `now`: the host's clock, for a table annotated `@clock host` (milliseconds since the epoch).
 * - `key1`, `key2`, …: the row's key. `held`: the expiry that proves ownership. `attempt`: the
 *   counted attempt. Together they are the fence of a claimed row.
 * - `column1`, `column2`, …: the cells of a row to insert, as `encode` gives them.
 * - `lock`: what a session lock is taken on, as a claim answered it. `inWork`: the keys that this
 *   process has in work, as a JSON array.
 */
export interface Statement {
  readonly text: string;
  readonly values: readonly StatementValue[];
}

/** A name that a statement's value list may use. */
export type StatementValue =
  | 'lease'
  | 'after'
  | 'limit'
  | 'candidates'
  | 'now'
  | 'held'
  | 'attempt'
  | 'lock'
  | 'inWork'
  | `key${number}`
  | `column${number}`;

/**
 * A statement with one list in it, for a database without arrays: `text` is the whole text for so
 * many rows. `values` are bound first, then `each` once a row.
 */
export interface ListStatement {
  readonly text: (rows: number) => string;
  readonly values: readonly StatementValue[];
  readonly each: readonly StatementValue[];
}

/**
 * A statement that inserts rows. Where the database cannot answer the keys of the rows that it
 * wrote, `key` says where each of the key's cells is known from: a cell of the new row, or the
 * number that the database gave it.
 */
export interface InsertStatement extends ListStatement {
  readonly key?: readonly (StatementValue | 'generated')[];
}

/** The list of a `ListStatement`: one item a row. Called by the texts of generated modules. */
export function list(item: string, separator: string, rows: number): string {
  return new Array<string>(rows).fill(item).join(separator);
}
