import type { AdvisoryDatabaseName } from '../spec.js';

/** A Postgres client as an author's lock functions get it. `pg.PoolClient` fits. */
export interface PostgresLockConnection {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** A MySQL or MariaDB connection as an author's lock functions get it: that of `mysql2/promise`. */
export interface MysqlLockConnection {
  query(sql: string, values?: unknown[]): Promise<readonly [unknown, unknown]>;
}

/** The better-sqlite3 database that the queue was given. */
export interface SqliteLockConnection {
  prepare(sql: string): { get(...values: unknown[]): unknown; run(...values: unknown[]): unknown };
}

/** What an author's lock functions run on, by database. */
export interface LockConnections {
  readonly postgres: PostgresLockConnection;
  readonly mysql: MysqlLockConnection;
  readonly mariadb: MysqlLockConnection;
  readonly sqlite: SqliteLockConnection;
}

/**
 * An author's own lock (`@custom lock unlock`). Both get the session that holds the lock and
 * the key's text, and answer whether they did it. `lock` never waits for another holder. Where one
 * throws, or `unlock` answers false, the connection is closed.
 */
export interface OwnLock<Name extends AdvisoryDatabaseName = AdvisoryDatabaseName> {
  // Methods, so that a function of a wider or narrower connection type fits.
  lock(connection: LockConnections[Name], key: string): Promise<boolean>;
  unlock(connection: LockConnections[Name], key: string): Promise<boolean>;
}
