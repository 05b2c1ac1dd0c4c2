import { systemClock, type Clock } from '../clock/clock.js';
import type { Duration } from '../duration.js';
import { kindOf, messageOf, show } from '../errors/describe.js';
import { DecodeError, EncodeError, InboxError } from '../errors/inbox-error.js';
import { requireCount, requireMilliseconds } from '../errors/options.js';
import type { InboxDatabase, LeaseStore, LeaseTable } from '../drivers/database.js';
import { refusingStore } from '../drivers/refusing-store.js';
import { reporterOf, type EventListener } from '../forms/events.js';
import { rowEvent, type Held } from '../forms/held.js';
import { leaseForm, type LeaseForm } from '../forms/lease.js';
import { wakesOf, type Wakes } from '../forms/wakes.js';
import type { LeaseDatabaseName, LeaseSpec } from '../spec.js';
import type { Cell } from '../statement.js';
import { exponentialBackoff, type Backoff } from './backoff.js';
import { deliveryOf, type Delivery, type HandlerDelivery } from './delivery.js';
import type { Outcome } from './outcome.js';
import { startWorker, type Worker } from './worker.js';

/** What holds for everything that is done through one queue object. */
export interface QueueOptions {
  /** How long a claimed row is held before it is extended or comes back. Default `'30s'`. */
  readonly lease?: Duration | undefined;
  /** How long a worker waits after a claim that found too little. Default `'1s'`. */
  readonly poll?: Duration | undefined;
  /** Receives the queue's events. */
  readonly on?: EventListener | undefined;
  /** Replaces the host's clock, in tests. */
  readonly clock?: Clock | undefined;
}

/** How a worker works. */
export interface WorkOptions {
  /** How many rows are handled at a time. Default 1. */
  readonly concurrency?: number | undefined;
  /** How long a row is held; extended every half of it while its handler runs. Default the queue's. */
  readonly lease?: Duration | undefined;
  /** How long to wait after a claim that found too little. Default the queue's. */
  readonly poll?: Duration | undefined;
  /** How long a row waits after its handler threw. Default `exponentialBackoff`. */
  readonly backoff?: Backoff | undefined;
  /** Receives the worker's events, beside the queue's `on`. */
  readonly on?: EventListener | undefined;
}

/** Works one row. Returning nothing acknowledges it, throwing retries it with back-off. */
export type Handler<Row> = (
  row: Row,
  delivery: HandlerDelivery,
) => HandlerAnswer | PromiseLike<HandlerAnswer>;

// An async function that returns nothing returns a promise of void.

type HandlerAnswer = Outcome | undefined | void;

/**
 * A queue in lease form: a claim commits an expiry into the row, which is extended while the row is
 * in work, and no connection is held meanwhile. Generated classes extend this one.
 */
export class LeaseQueue<Row, NewRow, Key, Name extends LeaseDatabaseName> {
  readonly #spec: LeaseSpec<Row, NewRow, Key, Name>;
  readonly #store: LeaseStore;
  readonly #wakes: Wakes;
  readonly #options: QueueOptions;
  readonly #byHand: LeaseForm;

  /** Does no I/O. Throws an `InboxError` with code `bad-option` for an option that makes no sense. */
  constructor(
    database: InboxDatabase<Name>,
    spec: LeaseSpec<Row, NewRow, Key, Name>,
    options: QueueOptions = {},
  ) {
    this.#spec = spec;
    this.#options = options;
    this.#store = openStore(database, spec);
    this.#wakes = wakesOf(database, spec.table);
    this.#lease(undefined);
    this.#poll(undefined);
    this.#byHand = this.#form(undefined);
  }

  /**
   * Checks the database: reachable, new enough, the table as declared, every statement prepared.
   * Rejects with one `InboxError` that says what is wrong.
   */
  check(): Promise<void> {
    return this.#store.check();
  }

  /**
   * Adds a row and answers its key. With `tx` (a `pg` client, a `mysql2` connection, or the
   * better-sqlite3 database itself) the row is written inside the caller's own transaction and commits with it.
   *
   * Rejects with an `EncodeError`, or an `InboxError` with code `enqueue-failed` or
   * `wrong-transaction`. With `tx` on SQLite, whose transactions are synchronous functions, the row
   * is written before this returns, and an error is thrown at once so that the transaction sees it.
   */
  enqueue(row: NewRow, options: { readonly tx?: unknown } = {}): Promise<Key> {
    return this.#insert([row], options.tx, ([key]) => key as Key);
  }

  /**
   * Adds many rows, all or none, and answers their keys in the order given; otherwise as `enqueue`.
   * All rows are encoded before the first is written.
   */
  enqueueMany(
    rows: readonly NewRow[],
    options: { readonly tx?: unknown } = {},
  ): Promise<readonly Key[]> {
    if (rows.length === 0) return Promise.resolve([]);
    return this.#insert(rows, options.tx, (keys) => keys);
  }

  /**
   * Takes up to `limit` due rows (default 1) for a lease (default the queue's), in claim order. They
   * are not extended by themselves. Rows that do not decode are retried with back-off and left out.
   */
  async claim(
    options: { readonly limit?: number | undefined; readonly lease?: Duration | undefined } = {},
  ): Promise<readonly Delivery<Row>[]> {
    const limit = requireCount('limit', options.limit ?? 1);
    const lease = this.#lease(options.lease);
    const form = this.#byHand;
    let rows: readonly Held[];
    try {
      rows = await form.claim(limit, lease);
    } catch (cause) {
      throw this.#failure('claim-failed', 'a claim failed', cause);
    }
    return rows.flatMap((held) => {
      try {
        const { row, attempt } = this.#decode(held.fence);
        return [deliveryOf(form, held, row, attempt)];
      } catch (error) {
        const after = exponentialBackoff(form.context.attemptOf(held.fence));
        const event = rowEvent(form.context, held);
        form.context.reporter.report({ kind: 'decode-failed', ...event, error, after });
        form.settling.settle(held, 'retry', after, () => undefined);
        return [];
      }
    });
  }

  /**
   * Starts a worker over the queue. Does not throw for what the database says: `ready` rejects.
   * Throws an `InboxError` with code `bad-option` for an option that makes no sense.
   */
  work(handler: Handler<Row>, options: WorkOptions = {}): Worker {
    return startWorker(this.#form(options.on), {
      handler: handler,
      decode: (cells) => this.#decode(cells),
      backoff: options.backoff ?? exponentialBackoff,
      concurrency: requireCount('concurrency', options.concurrency ?? 1),
      lease: this.#lease(options.lease),
      poll: this.#poll(options.poll),
    });
  }

  #lease(lease: Duration | undefined): number {
    return requireMilliseconds('lease', lease ?? this.#options.lease ?? '30s', 1);
  }

  #poll(poll: Duration | undefined): number {
    return requireMilliseconds('poll', poll ?? this.#options.poll ?? '1s', 1);
  }

  #form(on: EventListener | undefined): LeaseForm {
    const { queue, keyWidth, counted, decodeKey, decodeAttempt } = this.#spec;
    return leaseForm({
      queue,
      shape: { keyWidth, counted },
      store: this.#store,
      clock: this.#options.clock ?? systemClock,
      reporter: reporterOf(this.#options.on, on),
      wakes: this.#wakes,
      keyOf: (fence) => orElse(() => decodeKey(fence), fence.slice(0, keyWidth)),
      attemptOf: (fence) => orElse(() => decodeAttempt(fence), null),
    });
  }

  #decode(cells: readonly Cell[]): { readonly row: Row; readonly attempt: number | null } {
    const { queue, decode, decodeAttempt, decodeKey } = this.#spec;
    try {
      return { row: decode(cells), attempt: decodeAttempt(cells) };
    } catch (cause) {
      const id: unknown = orElse(() => decodeKey(cells), undefined);
      const column = cause instanceof DecodeError ? cause.column : '';
      const message = `Queue ${queue}, row ${show(id)}: the row cannot be decoded: ${messageOf(cause)}. Mend the row, or change the DDL and run inbox-gen again.`;
      throw new DecodeError(column, message, { queue, id, cause });
    }
  }

  #insert<Result>(
    rows: readonly NewRow[],
    tx: unknown,
    answer: (keys: readonly Key[]) => Result,
  ): Promise<Result> {
    const { encode, decodeKey, queue } = this.#spec;
    const finish = (cells: readonly (readonly Cell[])[]): Result => answer(cells.map(decodeKey));
    const failed = (cause: unknown): never => {
      throw this.#failure('enqueue-failed', 'the rows could not be added', cause);
    };
    let cells: (readonly Cell[])[];
    try {
      cells = rows.map(encode);
    } catch (cause) {
      const column = cause instanceof EncodeError ? cause.column : '';
      const error = new EncodeError(
        column,
        `Queue ${queue}: ${messageOf(cause)}. Nothing was added.`,
        {
          queue,
          cause,
        },
      );
      if (tx !== undefined && this.#store.synchronousTx) throw error;
      return Promise.reject(error);
    }
    if (tx === undefined) {
      return this.#store.insert(cells).then((keys) => {
        this.#wakes.wake();
        return finish(keys);
      }, failed);
    }
    let written;
    try {
      written = this.#store.insertInto(tx, cells);
    } catch (cause) {
      return failed(cause);
    }
    if (written instanceof Promise) return written.then(finish, failed);
    setImmediate(() => {
      this.#wakes.wake();
    });
    return Promise.resolve(finish(written));
  }

  #failure(code: 'claim-failed' | 'enqueue-failed', what: string, cause: unknown): InboxError {
    const { queue } = this.#spec;
    if (cause instanceof InboxError && cause.queue !== undefined) return cause;
    return new InboxError(
      cause instanceof InboxError ? cause.code : code,
      `Queue ${queue}: ${what}: ${messageOf(cause)}.`,
      { queue, cause },
    );
  }
}

function openStore<Name extends LeaseDatabaseName>(
  database: InboxDatabase<Name>,
  spec: LeaseTable<Name>,
): LeaseStore {
  const { queue } = spec;
  // JavaScript can hand over anything, and `check` is to say so, not a TypeError.
  const given: unknown = database;
  const wanted = Object.keys(spec.statements).join(' and ');
  if (typeof given !== 'object' || given === null || !('openLease' in given)) {
    return refusingStore(
      new InboxError(
        'wrong-database',
        `Queue ${queue}: it was given ${kindOf(database)}, which is no InboxDatabase. Wrap the driver's object: postgres(pool), mysql(pool), mariadb(pool) or sqlite(db).`,
        { queue },
      ),
    );
  }
  if (!(database.kind in spec.statements)) {
    return refusingStore(
      new InboxError(
        'wrong-database',
        `Queue ${queue}: it was generated for ${wanted} and was given a database of ${database.kind}. Give it the right one, or generate it for ${database.kind} too (--dialect ${database.kind}).`,
        { queue },
      ),
    );
  }
  return database.openLease(spec);
}

function orElse<Value, Other>(read: () => Value, other: Other): Value | Other {
  try {
    return read();
  } catch {
    return other;
  }
}
