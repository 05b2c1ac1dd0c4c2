import { systemClock, type Clock } from '../../clock/clock.js';
import type { Duration } from '../../duration.js';
import { kindOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import { requireCount, requireMilliseconds } from '../../errors/options.js';
import { budgetOf } from '../connection-budget.js';
import type { InboxDatabase } from '../database.js';
import { refusingHoldStore, refusingStore } from '../refusing-store.js';
import { driverPoolOf } from './driver-pool.js';
import { openMysqlAdvisory } from './open-advisory.js';
import { mysqlLeaseStore } from './lease-store.js';
import { corePoolOf, poolSizeOf, type MysqlCallbackPool, type MysqlPool } from './pool.js';
import { mysqlRowLockStore } from './row-lock-store.js';
import { mariadbServer, mysqlServer, type MysqlServer } from './server.js';
import { mysqlSession } from './session.js';
import { mysqlWaiters } from './waiters.js';

export type { InboxDatabase } from '../database.js';
export type {
  MysqlCallbackPool,
  MysqlCommand,
  MysqlConnection,
  MysqlEvents,
  MysqlPool,
  MysqlPoolConnection,
  MysqlQuery,
  MysqlValue,
} from './pool.js';

/** Options of `mysql(pool, options)` and `mariadb(pool, options)`. */
export interface MysqlOptions {
  /**
   * How long the statements of a claim, settlement or extension may stay unanswered before their
   * connection is given up, so that a dead network path cannot hold a worker. Default `'30s'`.
   */
  readonly answerTimeout?: Duration | undefined;
  /**
   * How many connections the workers of this database may ask for together (the sum of their
   * `concurrency`), in row-lock and advisory form, where each row in work has one. A worker that
   * would pass it does not start. Default: no limit but the pool's.
   */
  readonly connectionLimit?: number | undefined;
  /** Replaces the host's clock, in tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Queues on MySQL over a pool of `mysql2/promise`, or of `mysql2`. Does no I/O: whether the pool
 * leads to a MySQL of version 8.0.1 or newer with the table in it is said by `queue.check()` and
 * `worker.ready`. In lease form a queue borrows a few connections of the pool at a time,
 * each for one short transaction; in row-lock and advisory form each row in work holds one, and all
 * of them together at most the pool's `connectionLimit` less one.
 *
 * Throws an `InboxError` with code `bad-option` for an option that makes no sense.
 */
export function mysql(
  pool: MysqlPool | MysqlCallbackPool,
  options: MysqlOptions = {},
): InboxDatabase<'mysql'> {
  return databaseOf(mysqlServer, pool, options);
}

/** Queues on MariaDB from version 10.6 on; otherwise as `mysql`. */
export function mariadb(
  pool: MysqlPool | MysqlCallbackPool,
  options: MysqlOptions = {},
): InboxDatabase<'mariadb'> {
  return databaseOf(mariadbServer, pool, options);
}

function databaseOf<Name extends 'mysql' | 'mariadb'>(
  server: MysqlServer<Name>,
  pool: unknown,
  options: MysqlOptions,
): InboxDatabase<Name> {
  const clock = options.clock ?? systemClock;
  const answerTimeout = requireMilliseconds('answerTimeout', options.answerTimeout ?? '30s', 1);
  const limit =
    options.connectionLimit === undefined
      ? undefined
      : requireCount('connectionLimit', options.connectionLimit);
  const promisePool = poolOf(pool);
  const session =
    promisePool === undefined
      ? undefined
      : mysqlSession(promisePool, server, { answerTimeout, clock, waiters: mysqlWaiters(pool) });
  return {
    kind: server.name,
    openLease: (table) =>
      session === undefined
        ? refusingStore(notAPool(server, pool))
        : mysqlLeaseStore(session, server, {
            ...table,
            statements: table.statements[server.name],
          }),
    openRowLock: (table) =>
      session === undefined
        ? refusingHoldStore(notAPool(server, pool))
        : mysqlRowLockStore(session, server, {
            ...table,
            statements: table.statements[server.name],
          }),
    openAdvisory: (table, ownLock) =>
      session === undefined
        ? refusingHoldStore(notAPool(server, pool))
        : openMysqlAdvisory(session, server, table, table.statements[server.name], ownLock),
    connections: budgetOf(corePoolOf(pool), poolSizeOf(pool), limit),
    close: () => Promise.resolve(),
  };
}

/** The pool whose methods answer promises; none where this is no pool of mysql2. */
function poolOf(pool: unknown): MysqlPool | undefined {
  if (typeof pool !== 'object' || pool === null || !('getConnection' in pool)) return undefined;
  const driverPool = driverPoolOf(pool);
  if (driverPool !== undefined) return driverPool;
  const { promise } = pool as { promise?: unknown };
  return typeof promise === 'function'
    ? (promise as () => MysqlPool).call(pool)
    : (pool as MysqlPool);
}

function notAPool({ name }: MysqlServer, value: unknown): InboxError {
  return new InboxError(
    'wrong-database',
    `${name}() was given ${kindOf(value)}, which is no pool of mysql2. Give it one (for a pg.Pool there is postgres() of inbox-runtime/pg).`,
  );
}
