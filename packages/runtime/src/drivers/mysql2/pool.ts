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
  /** The session's number on the server, where the driver tells it. */
  readonly threadId?: number | null;
  /** The driver's own connection behind the promises, the same every time it is handed out. */
  readonly connection?: MysqlEvents;
}

/** What tells of a session's end. */
export interface MysqlEvents {
  on(event: 'error' | 'end', listener: (error?: unknown) => void): unknown;
}

/** A connection: what `{ tx }` takes. */
export interface MysqlConnection {
  /** Runs a prepared statement. */
  execute(query: MysqlQuery): Promise<readonly [unknown, unknown]>;
  /** Runs plain text. */
  query(query: MysqlCommand): Promise<readonly [unknown, unknown]>;
  prepare(sql: string): Promise<unknown>;
  /** Forgets a prepared statement, on the server and in the driver's own store. */
  unprepare(sql: string): unknown;
}

/** What a value is bound as. An integer is bound as its decimal text. */
export type MysqlValue = string | number | Buffer | null;

/** A text that answers no rows, or what all queries have. */
export interface MysqlCommand {
  readonly sql: string;
  readonly values: MysqlValue[];
}

/**
 * One query. Whatever option the pool has that changes how values or rows look is said again, so
 * that it does not matter: rows are arrays of cells, and (see `uncast`) no type cast is called.
 */
export interface MysqlQuery extends MysqlCommand {
  readonly rowsAsArray: true;
  readonly nestTables: false;
  readonly typeCast: true | ((field: unknown, next: () => unknown) => unknown);
  readonly dateStrings: true;
  readonly supportBigNumbers: true;
  readonly bigNumberStrings: true;
  readonly namedPlaceholders: false;
}

/** A row as the adapter's queries answer it: every selected expression is text in the SQL. */
export type MysqlRow = readonly (string | null)[];

/** A text that answers no rows: no option has anything to change in it. */
export function mysqlCommand(sql: string): MysqlCommand {
  return { sql, values: [] };
}

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

/** A connection that reads what our queries answer without the type cast of its pool. */
interface UncastConnection extends MysqlPoolConnection {
  /** The connection as the pool handed it out. */
  readonly given: MysqlPoolConnection;
}

/**
 * The connection, or a view of it where its pool has a type cast of the user's: a query without a
 * function of its own is read with that one, whatever else it says. Others are spared the calls.
 */
export function uncast<Connection extends MysqlConnection>(connection: Connection): Connection {
  if (typeof memberOf(memberOf(connection, 'config'), 'typeCast') !== 'function') return connection;
  const given = connection as unknown as MysqlPoolConnection;
  const plain = <Query extends MysqlCommand>(query: Query): Query => ({
    ...query,
    typeCast: asRead,
  });
  const view: UncastConnection = {
    given,
    threadId: given.threadId ?? null,
    execute: (query) => given.execute(plain(query)),
    query: (query) => given.query(plain(query)),
    prepare: (sql) => given.prepare(sql),
    unprepare: (sql) => given.unprepare(sql),
    ...(given.connection === undefined ? {} : { connection: given.connection }),
    release: () => {
      given.release();
    },
    destroy: () => {
      given.destroy();
    },
  };
  return view as unknown as Connection;
}

/** The connection as the pool handed it out, for what is not ours. */
export function givenConnection(connection: MysqlConnection): MysqlConnection {
  return 'given' in connection ? (connection as UncastConnection).given : connection;
}

/** A type cast that casts nothing. */
export function asRead(_: unknown, next: () => unknown): unknown {
  return next();
}

/**
 * How many connections the pool opens at most; `Infinity` where it has no limit. A pool that does
 * not tell is taken for one of the driver's default.
 */
export function poolSizeOf(pool: unknown): number {
  const limit = limitIn(pool) ?? limitIn(memberOf(pool, 'pool')) ?? 10;
  return limit === 0 ? Infinity : limit;
}

function limitIn(pool: unknown): number | undefined {
  const limit = memberOf(memberOf(pool, 'config'), 'connectionLimit');
  return typeof limit === 'number' && limit >= 0 ? Math.floor(limit) : undefined;
}

/** A property of something that may be anything. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The pool of `mysql2` behind one of `mysql2/promise`, the same for all that stand before it; else the pool. */
export function corePoolOf(pool: unknown): unknown {
  const behind = memberOf(pool, 'pool');
  return typeof memberOf(behind, 'getConnection') === 'function' ? behind : pool;
}

/** How many rows an UPDATE or a DELETE found, whether or not it had anything to change in them. */
export async function foundBy(connection: MysqlConnection, query: MysqlQuery): Promise<number> {
  const [answer] = await connection.execute(query);
  const { info, affectedRows } = answer as {
    readonly info?: unknown;
    readonly affectedRows?: unknown;
  };
  // An UPDATE says "Rows matched" in the server's language; `affectedRows` depends on a flag.
  const matched = typeof info === 'string' ? /\d+/.exec(info)?.[0] : undefined;
  return Number(matched ?? affectedRows ?? 0);
}

/** Runs a prepared statement that answers rows. */
export async function rowsOf(
  connection: MysqlConnection,
  query: MysqlQuery,
): Promise<readonly MysqlRow[]> {
  const [rows] = await connection.execute(query);
  return rows as readonly MysqlRow[];
}
