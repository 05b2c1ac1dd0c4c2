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
 * The statements of a row-lock table on Postgres.
 *
 * `due` answers a row if anything is due, locked or not, so that an idle poll opens no transaction.
 * `claim` locks the first due row that nobody else has locked and answers its cells; it runs inside
 * a READ COMMITTED transaction that stays open until the row is settled. `ack` and `retry` write
 * that row, and COMMIT follows; a table without a count has no `retry`, nor any form a `release`:
 * there ROLLBACK gives the row back as it was.
 */
export interface PostgresRowLockStatements {
  readonly due: Statement;
  readonly claim: Statement;
  readonly ack: Statement;
  readonly retry?: Statement;
  readonly insert: Statement;
}

/**
 * The statements of a row-lock table on MySQL: those of Postgres, but that `claim` reads
 * `candidates` due rows without locking them and locks the first of those that is free, and that
 * `due` answers a row if more rows are due than `candidates`.
 */
export interface MysqlRowLockStatements {
  readonly due: Statement;
  readonly claim: Statement;
  readonly ack: Statement;
  readonly retry?: Statement;
  readonly insert: InsertStatement;
}

/** The statements of a row-lock table, by database. SQLite has no row locks. */
export interface RowLockStatements {
  readonly postgres: PostgresRowLockStatements;
  readonly mysql: MysqlRowLockStatements;
  readonly mariadb: MysqlRowLockStatements;
}

/**
 * The statements of an advisory table on Postgres.
 *
 * `claim` looks at `candidates` due rows whose key no session has locked, locks the first key that
 * it can, and takes the row if it is still due. It answers one row: how many candidates there were,
 * the lock and the key's text (both null where nothing was locked), and the cells of the taken row
 * (all null where the row was settled meanwhile, and the lock is to be given back). `ack` and
 * `release` change the row only while this session holds `lock`; where none is changed, the row is
 * not this delivery's any more. A table without a count has no `release`. `unlock` answers `true`
 * where the session held the lock.
 */
export interface PostgresAdvisoryStatements {
  readonly claim: Statement;
  readonly ack: Statement;
  readonly release?: Statement;
  readonly unlock: Statement;
  readonly insert: Statement;
}

/**
 * The statements of an advisory table on MySQL.
 *
 * `claim` looks at `candidates` due rows whose lock is free, locks the first that it can, and
 * answers the lock's name, the key's text and the row's key. `count` (where the table counts)
 * counts a delivery of that row if it is still due, and `take` answers its cells; without `count`,
 * `take` itself answers none where the row is no longer due. `due` answers a row if at least
 * `candidates` rows are due whose lock is free. The others are as on Postgres; `unlock` answers 1.
 */
export interface MysqlAdvisoryStatements {
  readonly due: Statement;
  readonly claim: Statement;
  readonly count?: Statement;
  readonly take: Statement;
  readonly ack: Statement;
  readonly release?: Statement;
  readonly unlock: Statement;
  readonly insert: InsertStatement;
}

/**
 * The statements of an advisory table on SQLite, whose locks the process keeps: `candidates` answers
 * the key's text and the row's key of up to `candidates` due rows whose key is not among `inWork`.
 * `take` counts a delivery and answers the row's cells, or none where it is no longer due.
 */
export interface SqliteAdvisoryStatements {
  readonly candidates: Statement;
  readonly take: Statement;
  readonly ack: Statement;
  readonly release?: Statement;
  readonly insert: Statement;
}

/**
 * The statements of an advisory table with a lock of its author's own (`@lock` and `@unlock`, or
 * two functions), on any database. `candidates` answers the key's text, which is the lock, and the
 * row's key of up to `candidates` due rows. `lock` and `unlock` answer one cell, true or not; both
 * are absent where they are functions. `count` and `take` as on MySQL; where `take` itself counts,
 * there is no `count`. `ack` and `release` are fenced by the counted attempt, where there is one.
 */
export interface OwnLockStatements {
  readonly candidates: Statement;
  readonly lock?: Statement;
  readonly unlock?: Statement;
  readonly count?: Statement;
  readonly take: Statement;
  readonly ack: Statement;
  readonly release?: Statement;
  readonly insert: Statement | InsertStatement;
}

/** The statements of an advisory table, by database: with our lock, or with its author's own. */
export interface AdvisoryStatements {
  readonly postgres: PostgresAdvisoryStatements | OwnLockStatements;
  readonly mysql: MysqlAdvisoryStatements | OwnLockStatements;
  readonly mariadb: MysqlAdvisoryStatements | OwnLockStatements;
  readonly sqlite: SqliteAdvisoryStatements | OwnLockStatements;
}

/** A database that has row locks. */
export type RowLockDatabaseName = DatabaseName & keyof RowLockStatements;

/** A database that has the advisory form. */
export type AdvisoryDatabaseName = DatabaseName & keyof AdvisoryStatements;

/**
 * What a generated module says about a table beside its statements: its name, and how a row
 * crosses. Behaviour is the runtime's.
 */
export interface TableSpec<Row, NewRow, Key> {
  /** The queue's name, as errors and events say it. */
  readonly queue: string;
  /** The table's name as it stands in the DDL, with its schema where it has one. */
  readonly table: string;
  /** How many leading cells of a claimed row are its key. */
  readonly keyWidth: number;
  /** True where the table counts deliveries: one of the leading cells is the counted attempt. */
  readonly counted: boolean;
  /** True where `now` comes from the host (`@clock host`). */
  readonly hostClock: boolean;
  /** A claimed row's cells as the row. Throws where a cell does not hold what the DDL says. */
  readonly decode: (cells: readonly Cell[]) => Row;
  /** The leading cells of a claimed row, or what `insert` answers, as the key. */
  readonly decodeKey: (cells: readonly Cell[]) => Key;
  /** A claimed row's attempt, 1 for the first delivery; null where the table does not count. */
  readonly decodeAttempt: (cells: readonly Cell[]) => number | null;
  /** A new row as `column1`, `column2`, …. Throws where a value cannot be written. */
  readonly encode: (row: NewRow) => readonly Cell[];
}

/**
 * A table in lease form. The first cells of a claimed row are its fence, in this order: the key's
 * cells, the expiry as the database wrote it, and the counted attempt where the table counts.
 */
export interface LeaseSpec<Row, NewRow, Key, Name extends LeaseDatabaseName> extends TableSpec<
  Row,
  NewRow,
  Key
> {
  readonly statements: { readonly [Database in Name]: LeaseStatements[Database] };
}

/**
 * A table in row-lock form. The first cells of a claimed row are the key's, then the attempt as it
 * will be counted after this delivery, where the table counts.
 */
export interface RowLockSpec<Row, NewRow, Key, Name extends RowLockDatabaseName> extends TableSpec<
  Row,
  NewRow,
  Key
> {
  readonly statements: { readonly [Database in Name]: RowLockStatements[Database] };
}

/**
 * A table in advisory form. The first cells of a taken row are the key's, then the counted attempt
 * where the table counts.
 */
export interface AdvisorySpec<
  Row,
  NewRow,
  Key,
  Name extends AdvisoryDatabaseName,
> extends TableSpec<Row, NewRow, Key> {
  readonly statements: { readonly [Database in Name]: AdvisoryStatements[Database] };
}
