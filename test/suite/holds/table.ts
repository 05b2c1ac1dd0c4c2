import type { Duration, EventListener, InboxDatabase, Worker } from 'inbox-runtime';

import type { Databases } from '../../databases/bench.js';
import { ownLocks } from '../../databases/own-locks.js';
import {
  BareKeyedJobQueue,
  BareLockedJobQueue,
  CustomJobQueue,
  KeyedJobQueue,
  LockedJobQueue,
} from '../../generated/index.js';

/** What the suite reads of a row, whatever its table. */
export interface HeldRow {
  readonly id: bigint;
  readonly payload: unknown;
}

/** What the suite's handlers use beside the row. */
export interface HeldContext {
  readonly attempt: number | null;
  readonly signal: AbortSignal;
}

/** What a handler may answer: no delayed retry. */
type Answer = Awaited<ReturnType<Parameters<LockedJobQueue['work']>[0]>>;

/** A handler of the suite. */
export type HoldHandler = (row: HeldRow, delivery: HeldContext) => Answer | PromiseLike<Answer>;

/** A delivery that was claimed by hand. */
export interface HeldDelivery extends HeldContext, AsyncDisposable {
  readonly row: HeldRow;
  ack(): Promise<void>;
  retry(): Promise<void>;
  drop(reason?: string): Promise<void>;
  release(): Promise<void>;
}

/** How the suite's workers work. */
export interface HoldWorkOptions {
  readonly concurrency?: number;
  readonly poll?: Duration;
  readonly backoff?: () => number;
  readonly on?: EventListener;
}

/** What the suite asks of a queue whose rows are held by sessions. */
export interface HoldQueue {
  check(): Promise<void>;
  /** Adds rows; where the table has keys, each has its own, or all the one that is given. */
  add(payloads: readonly unknown[], key?: bigint): Promise<readonly bigint[]>;
  claim(options?: { readonly limit?: number }): Promise<readonly HeldDelivery[]>;
  work(handler: HoldHandler, options?: HoldWorkOptions): Worker;
}

/** A table in row-lock or advisory form, and what the suite must know of it. */
export interface HoldTable {
  readonly title: string;
  readonly table: string;
  readonly form: 'row-lock' | 'advisory';
  readonly counted: boolean;
  /** The code of what a delivery is told whose session has ended. */
  readonly lostCode: 'transaction-lost' | 'lock-lost';
  /** The attempt of the delivery that follows one whose session ended, or whose process did. */
  readonly afterCrash: number | null;
  readonly queue: (database: InboxDatabase<Databases>) => HoldQueue;
}

/** The databases that have row locks. */
export type RowLockDatabases = Exclude<Databases, 'sqlite'>;

const lockedJobs: HoldTable = {
  ...{ title: 'a row-lock table', table: 'locked_jobs', form: 'row-lock', counted: true },
  lostCode: 'transaction-lost',
  // A claim writes nothing.
  afterCrash: 1,
  queue: (database) => {
    const queue = new LockedJobQueue(database as InboxDatabase<RowLockDatabases>);
    return {
      check: () => queue.check(),
      add: (payloads) => queue.enqueueMany(payloads.map((payload) => ({ payload }))),
      claim: (options) => queue.claim(options),
      work: (handler, options) => queue.work(handler, options),
    };
  },
};

const bareLockedJobs: HoldTable = {
  ...{ title: 'a row-lock table without attempt', table: 'bare_locked_jobs', form: 'row-lock' },
  ...{ counted: false, lostCode: 'transaction-lost', afterCrash: null },
  queue: (database) => {
    const queue = new BareLockedJobQueue(database as InboxDatabase<RowLockDatabases>);
    return {
      check: () => queue.check(),
      add: (payloads) => queue.enqueueMany(payloads.map((payload) => ({ payload }))),
      claim: (options) => queue.claim(options),
      work: (handler, options) => queue.work(handler, options),
    };
  },
};

const keyedJobs: HoldTable = {
  ...{ title: 'an advisory table', table: 'keyed_jobs', form: 'advisory', counted: true },
  lostCode: 'lock-lost',
  // A claim counts.
  afterCrash: 2,
  queue: (database) => {
    const queue = new KeyedJobQueue(database);
    return {
      check: () => queue.check(),
      add: (payloads, key) =>
        queue.enqueueMany(
          payloads.map((payload, n) => ({ payload, accountId: key ?? BigInt(n + 1) })),
        ),
      claim: (options) => queue.claim(options),
      work: (handler, options) => queue.work(handler, options),
    };
  },
};

const bareKeyedJobs: HoldTable = {
  ...{ title: 'an advisory table without attempt', table: 'bare_keyed_jobs', form: 'advisory' },
  ...{ counted: false, lostCode: 'lock-lost', afterCrash: null },
  queue: (database) => {
    const queue = new BareKeyedJobQueue(database);
    return {
      check: () => queue.check(),
      add: (payloads, key) =>
        queue.enqueueMany(
          payloads.map((payload, n) => ({ payload, accountId: key ?? BigInt(n + 1) })),
        ),
      claim: (options) => queue.claim(options),
      work: (handler, options) => queue.work(handler, options),
    };
  },
};

/** An advisory table whose lock is taken by functions. */
export const customJobs: HoldTable = {
  ...{ title: 'a table with an own lock', table: 'custom_jobs', form: 'advisory', counted: true },
  ...{ lostCode: 'lock-lost', afterCrash: 2 },
  queue: (database) => {
    const queue = new CustomJobQueue(database, ownLocks[database.kind]);
    return {
      check: () => queue.check(),
      add: (payloads, key) =>
        queue.enqueueMany(
          payloads.map((payload, n) => ({ payload, accountId: key ?? BigInt(n + 1) })),
        ),
      claim: (options) => queue.claim(options),
      work: (handler, options) => queue.work(handler, options),
    };
  },
};

/** The tables in row-lock form: one that counts deliveries, one that does not. */
export const rowLockTables: readonly HoldTable[] = [lockedJobs, bareLockedJobs];

/** The tables in advisory form, likewise. */
export const advisoryTables: readonly HoldTable[] = [keyedJobs, bareKeyedJobs];
