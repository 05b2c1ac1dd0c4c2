import { systemClock, type Clock } from '../../clock/clock.js';
import type { Duration } from '../../duration.js';
import { kindOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import { requireCount, requireMilliseconds } from '../../errors/options.js';
import { budgetOf } from '../connection-budget.js';
import type { InboxDatabase } from '../database.js';
import { refusingHoldStore, refusingStore } from '../refusing-store.js';
import { pgLeaseStore } from './lease-store.js';
import { openPgAdvisory } from './open-advisory.js';
import type { PgPool } from './pool.js';
import { pgRowLockStore } from './row-lock-store.js';
import { pgSession } from './session.js';

export type { InboxDatabase } from '../database.js';
export type { PgClient, PgPool, PgPoolClient, PgQuery, PgResult, PgTypes } from './pool.js';

/** Options of `postgres(pool, options)`. */
export interface PostgresOptions {
  /**
   * False where a pooler (PgBouncer in transaction mode before 1.21, and its kin) breaks named
   * prepared statements. Default true; a session that has lost one also turns it off.
   */
  readonly prepare?: boolean | undefined;
  /**
   * How long a claim, settlement or extension may stay unanswered before its connection is given
   * up, so that a dead network path cannot hold a worker. Default `'30s'`.
   */
  readonly answerTimeout?: Duration | undefined;
  /**
   * How many connections the workers of this database may ask for in all, where rows in work hold
   * one each (row-lock and advisory form). A worker that would pass it is refused at its start.
   */
  readonly connectionLimit?: number | undefined;
  /** Replaces the host's clock, in tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Queues over a `pg.Pool`. Does no I/O: whether the pool leads to a Postgres of version 12 or newer
 * with the table in it is said by `queue.check()` and `worker.ready`. In lease form a queue borrows
 * a few connections of the pool at a time (`docs/runtime.md`), each for one short statement; in the
 * other forms, every row in work holds one.
 *
 * Throws an `InboxError` with code `bad-option` for an option that makes no sense.
 */
export function postgres(pool: PgPool, options: PostgresOptions = {}): InboxDatabase<'postgres'> {
  const session = pgSession(pool, {
    prepare: options.prepare ?? true,
    answerTimeout: requireMilliseconds('answerTimeout', options.answerTimeout ?? '30s', 1),
    clock: options.clock ?? systemClock,
  });
  const limit =
    options.connectionLimit === undefined
      ? undefined
      : requireCount('connectionLimit', options.connectionLimit);
  const refusal = isPool(pool) ? undefined : notAPool(pool);
  if (refusal === undefined) surviveIdleErrors(pool);
  return {
    kind: 'postgres',
    openLease: (table) =>
      refusal === undefined ? pgLeaseStore(session, table) : refusingStore(refusal),
    openRowLock: (table) =>
      refusal === undefined ? pgRowLockStore(session, table) : refusingHoldStore(refusal),
    openAdvisory: (table, ownLock) =>
      refusal === undefined ? openPgAdvisory(session, table, ownLock) : refusingHoldStore(refusal),
    connections: budgetOf(pool, session.poolSize, limit),
    close: () => Promise.resolve(),
  };
}

const surviving = new WeakSet<PgPool>();

/**
 * A pool emits an error when the server ends an idle session, has then dropped it already, and ends
 * the process where nobody listens. While a handler works, every session of a queue is idle.
 */
function surviveIdleErrors(pool: PgPool): void {
  if (surviving.has(pool)) return;
  surviving.add(pool);
  pool.on?.('error', () => undefined);
}

function isPool(pool: unknown): boolean {
  return (
    typeof pool === 'object' &&
    pool !== null &&
    'connect' in pool &&
    typeof pool.connect === 'function' &&
    // A pg.Client connects too, but has no clients to hand out.
    !('connectionParameters' in pool)
  );
}

function notAPool(value: unknown): InboxError {
  return new InboxError(
    'wrong-database',
    `postgres() was given ${kindOf(value)}, which is no pg.Pool. Give it a pg.Pool (for better-sqlite3 there is sqlite() of inbox-runtime/better-sqlite3).`,
  );
}
