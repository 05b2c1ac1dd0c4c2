import { systemClock, type Clock } from '../../clock/clock.js';
import type { Duration } from '../../duration.js';
import { kindOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import { requireMilliseconds } from '../../errors/options.js';
import { connectionBudget } from '../connection-budget.js';
import type { InboxDatabase } from '../database.js';
import { refusingHoldStore, refusingStore } from '../refusing-store.js';
import type { DriverTable } from '../tables.js';
import { openAdvisoryStore } from './advisory-store.js';
import { sqliteConnector } from './connection.js';
import { isHandle, type SqliteHandle } from './handle.js';
import { sqliteLeaseStore } from './lease-store.js';
import { sqliteWriter } from './writer.js';

export type { InboxDatabase } from '../database.js';
export type { SqliteHandle, SqliteStatement } from './handle.js';

/** Options of `sqlite(db, options)`. */
export interface SqliteOptions {
  /**
   * `'own'` (the default) opens a second connection to the handle's file, so that a locked file
   * never blocks the event loop; `'given'` uses the handle itself, for a database whose triggers
   * need functions registered on it, or that is encrypted or attached. A database in memory always
   * uses the given handle.
   */
  readonly connection?: 'own' | 'given' | undefined;
  /** How long a locked file is asked for before a claim or an enqueue rejects. Default `'30s'`. */
  readonly busyTimeout?: Duration | undefined;
  /** Replaces the host's clock, in tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Queues over a `Database` of better-sqlite3. Does no I/O: whether the file has the table is said
 * by `queue.check()` and `worker.ready`. `close()` closes the connection that the adapter opened
 * itself; it is also closed when the given handle is found closed.
 *
 * Throws an `InboxError` with code `bad-option` for an option that makes no sense.
 */
export function sqlite(db: SqliteHandle, options: SqliteOptions = {}): InboxDatabase<'sqlite'> {
  const clock = options.clock ?? systemClock;
  const budget = requireMilliseconds('busyTimeout', options.busyTimeout ?? '30s', 0);
  const connector = sqliteConnector(db, options.connection !== 'given');
  const writer = sqliteWriter(connector, clock, budget);
  const context = { given: db, connector, writer };
  const refusal = isHandle(db) ? undefined : notAHandle(db);
  return {
    kind: 'sqlite',
    openLease: (table) =>
      refusal === undefined ? sqliteLeaseStore(context, table) : refusingStore(refusal),
    openRowLock: ({ queue }: DriverTable) => refusingHoldStore(refusal ?? noRowLocks(queue)),
    openAdvisory: (table, ownLock) =>
      refusal === undefined
        ? openAdvisoryStore(context, table, ownLock)
        : refusingHoldStore(refusal),
    connections: connectionBudget(Infinity),
    close() {
      connector.close();
      return Promise.resolve();
    },
  };
}

function notAHandle(value: unknown): InboxError {
  return new InboxError(
    'wrong-database',
    `sqlite() was given ${kindOf(value)}, which is no Database of better-sqlite3. Give it one (for a pg.Pool there is postgres() of inbox-runtime/pg).`,
  );
}

function noRowLocks(queue: string): InboxError {
  return new InboxError(
    'wrong-database',
    `Queue ${queue}: SQLite has no row locks. Write "@inbox lease" (with a column for the expiry) or "@advisory" above its table and run inbox-gen again.`,
    { queue },
  );
}
