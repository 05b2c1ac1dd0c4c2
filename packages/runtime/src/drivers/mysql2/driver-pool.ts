import {
  asRead,
  type MysqlCommand,
  type MysqlConnection,
  type MysqlEvents,
  type MysqlPool,
  type MysqlPoolConnection,
} from './pool.js';

type Done = (error: Error | null, result?: unknown, fields?: unknown) => void;

/** The pool of `mysql2` itself, which stands behind the one of `mysql2/promise`. */
interface DriverPool {
  getConnection(done: (error: Error | null, connection?: DriverConnection) => void): void;
}

/** A connection of that pool. */
interface DriverConnection extends MysqlEvents {
  readonly config?: { readonly typeCast?: unknown };
  readonly threadId?: number | null;
  execute(query: MysqlCommand, done: Done): unknown;
  query(query: MysqlCommand, done: Done): unknown;
  prepare(sql: string, done: Done): unknown;
  unprepare(sql: string): unknown;
  release(): void;
  destroy(): void;
  promise(): MysqlConnection;
}

/**
 * The same pool, with promises of our own. Those of mysql2 note the stack of each call, which costs a
 * quarter of what the driver takes for a statement. None where what was given is no pool of mysql2, or
 * hands out connections in a way of its owner's.
 */
export function driverPoolOf(pool: unknown): MysqlPool | undefined {
  if (typeof pool !== 'object' || pool === null || Object.hasOwn(pool, 'getConnection')) {
    return undefined;
  }
  const driver = isDriverPool(pool) ? pool : 'pool' in pool ? pool.pool : undefined;
  return isDriverPool(driver) ? promised(driver) : undefined;
}

function promised(pool: DriverPool): MysqlPool {
  const known = new WeakMap<DriverConnection, MysqlPoolConnection>();

  function connectionOf(driver: DriverConnection): MysqlPoolConnection {
    let connection = known.get(driver);
    if (connection === undefined) {
      connection = promisedConnection(driver);
      known.set(driver, connection);
    }
    return connection;
  }

  return {
    getConnection: () =>
      new Promise((resolve, reject) => {
        pool.getConnection((error, driver) => {
          if (driver === undefined) reject(error ?? new Error('No connection.'));
          else resolve(connectionOf(driver));
        });
      }),
  };
}

function promisedConnection(driver: DriverConnection): MysqlPoolConnection & { given: unknown } {
  const answer = (send: (done: Done) => unknown): Promise<readonly [unknown, unknown]> =>
    new Promise((resolve, reject) => {
      send((error, result, fields) => {
        if (error) reject(error);
        else resolve([result, fields]);
      });
    });
  // A query without a function of its own is read with that of the pool.
  const uncast =
    typeof driver.config?.typeCast === 'function'
      ? <Query extends MysqlCommand>(query: Query): Query => ({ ...query, typeCast: asRead })
      : <Query extends MysqlCommand>(query: Query): Query => query;
  return {
    connection: driver,
    get threadId() {
      return driver.threadId ?? null;
    },
    /** For what is not ours. */
    get given() {
      return driver.promise();
    },
    execute: (query) => answer((done) => driver.execute(uncast(query), done)),
    query: (query) => answer((done) => driver.query(uncast(query), done)),
    prepare: (sql) => answer((done) => driver.prepare(sql, done)),
    unprepare: (sql) => driver.unprepare(sql),
    release: () => {
      driver.release();
    },
    destroy: () => {
      driver.destroy();
    },
  };
}

function isDriverPool(pool: unknown): pool is DriverPool {
  return (
    typeof pool === 'object' &&
    pool !== null &&
    ['getConnection', 'promise'].every(
      (name) => typeof (pool as Readonly<Record<string, unknown>>)[name] === 'function',
    )
  );
}
