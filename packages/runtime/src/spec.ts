import type { Cell, DatabaseName, InsertStatement, ListStatement, Statement } from './statement.js';

/**
 * The statements of a lease table on Postgres.
 *
 * `ack`, `retry`, `release` and `extend` settle many rows at once: every fence value (and `after`)
 * is an array with one element a row, `lease` and `now` are single values. Each answers one row per
 * row asked, in the order asked: its state (`done`, `lost` or `busy`) and, for `extend`, the new
 * expiry. `insert` takes one array a column and answers the keys in the order given.
 */
export interface PostgresLeaseStatements {
  /** Takes the first due row. */
  readonly claimOne: Statement;
  /** Takes up to `limit` due rows. */
  readonly claim: Statement;
  readonly extend: Statement;
  readonly ack: Statement;
  readonly retry: Statement;
  readonly release: Statement;
  readonly insert: Statement;
}

/**
 * The statements of a lease table on SQLite, run one row at a time inside `BEGIN IMMEDIATE`.
 *
 * `claim` reads up to `limit` due rows with the expiry and the counted attempt that `stamp` then
 * writes into each. `ack`, `retry`, `release` and `extend` change one row or none: none is a lost
 * lease. `extend` answers the new expiry, `insert` the key. `due` answers a row if anything is due,
 * so that an idle poll takes no write lock.
 */
export interface SqliteLeaseStatements {
  readonly due: Statement;
  readonly claim: Statement;
  readonly stamp: Statement;
  readonly extend: Statement;
  readonly ack: Statement;
  readonly retry: Statement;
  readonly release: Statement;
  readonly insert: Statement;
}

/**
 * The statements of a lease table on MySQL, run in short READ COMMITTED transactions.
 *
 * `due` answers a row if more rows are due than `candidates`. `claim` reads that many due rows
 * without locking them, then locks and answers up to `limit` of those, with the expiry and the
 * counted attempt that `stamp` then writes. `own` locks the rows to settle that nobody else has
 * locked and answers their fences, each followed by the expiry that `extend` would give them; `seen`
 * answers the fences of the others. `ack`, `retry`, `release` and `extend` write rows that `own` has
 * locked, whatever their fence. `insert` answers the keys in the order given, or says with `key`
 * where they are known from.
 */
export interface MysqlLeaseStatements {
  readonly due: Statement;
  readonly claim: Statement;
  readonly stamp: ListStatement;
  readonly own: ListStatement;
  readonly seen: ListStatement;
  readonly extend: ListStatement;
  readonly ack: ListStatement;
  readonly retry: ListStatement;
  readonly release: ListStatement;
  readonly insert: InsertStatement;
}

/** The statements of a lease table on MariaDB: those of MySQL, in MariaDB's words. */
export type MariadbLeaseStatements = MysqlLeaseStatements;

/** The statements of a lease table, by database. The one place that names them all. */
export interface LeaseStatements {
  readonly postgres: PostgresLeaseStatements;
  readonly mysql: MysqlLeaseStatements;
  readonly mariadb: MariadbLeaseStatements;
  readonly sqlite: SqliteLeaseStatements;
}

/** A database that has the lease form. */
export type LeaseDatabaseName = DatabaseName & keyof LeaseStatements;

/**
 * What a generated module says about a table in lease form: its statements, whole, and how a row
 * crosses. Behaviour is the runtime's.
 *
 * The first cells of a claimed row are its fence, in this order: the key's cells, the expiry as the
 * database wrote it, and the counted attempt where the table counts.
 */
export interface LeaseSpec<Row, NewRow, Key, Name extends LeaseDatabaseName> {
  /** The queue's name, as errors and events say it. */
  readonly queue: string;
  /** The table's name as it stands in the DDL, with its schema where it has one. */
  readonly table: string;
  /** How many leading cells of a claimed row are its key. */
  readonly keyWidth: number;
  /** True where the cell behind the expiry is the counted attempt and part of the fence. */
  readonly counted: boolean;
  /** True where `now` comes from the host (`@clock host`). */
  readonly hostClock: boolean;
  readonly statements: { readonly [Database in Name]: LeaseStatements[Database] };
  /** A claimed row's cells as the row. Throws where a cell does not hold what the DDL says. */
  readonly decode: (cells: readonly Cell[]) => Row;
  /** The leading cells of a claimed row, or what `insert` answers, as the key. */
  readonly decodeKey: (cells: readonly Cell[]) => Key;
  /** A claimed row's attempt, 1 for the first delivery; null where the table does not count. */
  readonly decodeAttempt: (cells: readonly Cell[]) => number | null;
  /** A new row as `column1`, `column2`, …. Throws where a value cannot be written. */
  readonly encode: (row: NewRow) => readonly Cell[];
}
