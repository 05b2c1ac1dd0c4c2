/**
 * The part of `mysql2` that the adapter uses, described by its shape so that the driver is neither
 * a dependency nor bound to one version. The pool of `mysql2/promise` fits.
 */
export interface MysqlPool {
  getConnection(): Promise<MysqlPoolConnection>;
}

/** The pool of `mysql2` itself, whose promises stand behind `promise()`. */
export interface MysqlCallbackPool {
  promise(): MysqlPool;
}

/** A connection that a pool handed out. */
export interface MysqlPoolConnection extends MysqlConnection {
  /** Back to the pool. */
  release(): void;
  /** Ended, and out of the pool. */
  destroy(): void;
}

/** A connection: what `{ tx }` takes. */
export interface MysqlConnection {
  /** Runs a prepared statement. */
  execute(query: MysqlQuery): Promise<readonly [unknown, unknown]>;
  /** Runs plain text. */
  query(query: MysqlQuery): Promise<readonly [unknown, unknown]>;
  prepare(sql: string): Promise<unknown>;
  /** Forgets a prepared statement, on the server and in the driver's own store. */
  unprepare(sql: string): unknown;
}

/** What a value is bound as. An integer is bound as its decimal text. */
export type MysqlValue = string | number | Buffer | null;

/**
 * One query. Whatever option the pool has that changes how values or rows look is said again, so
 * that it does not matter: rows are arrays of cells, and no type cast of the user's is called.
 */
export interface MysqlQuery {
  readonly sql: string;
  readonly values: MysqlValue[];
  readonly rowsAsArray: true;
  readonly nestTables: false;
  readonly typeCast: true;
  readonly dateStrings: true;
  readonly supportBigNumbers: true;
  readonly bigNumberStrings: true;
  readonly namedPlaceholders: false;
}

/** A row as the adapter's queries answer it: every selected expression is text in the SQL. */
export type MysqlRow = readonly (string | null)[];

/** A query with its values. */
export function mysqlQuery(sql: string, values: MysqlValue[] = []): MysqlQuery {
  return {
    sql,
    values,
    rowsAsArray: true,
    nestTables: false,
    typeCast: true,
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    namedPlaceholders: false,
  };
}

/** Runs a prepared statement that answers rows. */
export async function rowsOf(
  connection: MysqlConnection,
  query: MysqlQuery,
): Promise<readonly MysqlRow[]> {
  const [rows] = await connection.execute(query);
  return rows as readonly MysqlRow[];
}
