/**
 * The part of `better-sqlite3` that the adapter uses, described by its shape so that the driver is
 * neither a dependency nor bound to one version. A `Database` of better-sqlite3 fits.
 */
export interface SqliteHandle {
  readonly name: string;
  readonly open: boolean;
  readonly memory: boolean;
  readonly readonly: boolean;
  readonly inTransaction: boolean;
  prepare(text: string): SqliteStatement;
  close(): unknown;
}

/** A prepared statement of better-sqlite3. */
export interface SqliteStatement {
  readonly reader: boolean;
  run(values: readonly unknown[]): { readonly changes: number };
  all(values: readonly unknown[]): unknown[];
  get(values: readonly unknown[]): unknown;
  raw(toggle: boolean): unknown;
  safeIntegers(toggle: boolean): unknown;
}

/** Whether a value has the shape of an open or closed `Database` of better-sqlite3. */
export function isHandle(value: unknown): value is SqliteHandle {
  return (
    typeof value === 'object' &&
    value !== null &&
    'prepare' in value &&
    typeof value.prepare === 'function' &&
    'open' in value &&
    typeof value.open === 'boolean' &&
    'memory' in value &&
    'inTransaction' in value
  );
}

/**
 * Prepares a statement so that no default of the handle's decides what comes back: every integer a
 * `bigint`, every row an array.
 */
export function prepareExactly(handle: SqliteHandle, text: string): SqliteStatement {
  const statement = handle.prepare(text);
  if (statement.reader) {
    statement.safeIntegers(true);
    statement.raw(true);
  }
  return statement;
}
