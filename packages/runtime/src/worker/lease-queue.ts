import type { InboxDatabase, LeaseStore } from '../drivers/database.js';
import { refusingStore } from '../drivers/refusing-store.js';
import type { Duration } from '../duration.js';
import { requireCount } from '../errors/options.js';
import type { EventListener } from '../forms/events.js';
import { rowEvent } from '../forms/held.js';
import { keptLeases } from '../forms/kept-leases.js';
import { leaseForm, type LeaseForm } from '../forms/lease.js';
import { expiryText, type LeaseRow } from '../forms/lease-row.js';
import type { LeaseDatabaseName, LeaseSpec } from '../spec.js';
import { exponentialBackoff } from './backoff.js';
import type { Delivery } from './delivery.js';
import type { Handler } from './handler.js';
import { handlerDelivery } from './handler-delivery.js';
import { leaseDelivery } from './lease-delivery.js';
import { openStore } from './open-store.js';
import { leaseOf, pollOf, type LeaseWorkOptions, type QueueOptions } from './options.js';
import { tableQueue, type TableQueue } from './table-queue.js';
import { startWorker, type Worker } from './worker.js';

/**
 * A queue in lease form: a claim commits an expiry into the row, which is extended while the row is
 * in work, and no connection is held meanwhile. Generated classes extend this one.
 */
export class LeaseQueue<Row, NewRow, Key, Name extends LeaseDatabaseName> {
  readonly #spec: LeaseSpec<Row, NewRow, Key, Name>;
  readonly #store: LeaseStore;
  readonly #options: QueueOptions;
  readonly #queue: TableQueue<Row, NewRow, Key>;
  readonly #byHand: LeaseForm;

  /** Does no I/O. Throws an `InboxError` with code `bad-option` for an option that makes no sense. */
  constructor(
    database: InboxDatabase<Name>,
    spec: LeaseSpec<Row, NewRow, Key, Name>,
    options: QueueOptions = {},
  ) {
    this.#spec = spec;
    this.#options = options;
    this.#store = openStore(database, spec, (given) => given.openLease(spec), refusingStore);
    this.#queue = tableQueue(database, spec, this.#store, options);
    leaseOf(options);
    this.#byHand = this.#form(undefined);
  }

  /**
   * Checks the database: reachable, new enough, the table as declared, every statement prepared.
   * Rejects with one `InboxError` that says what is wrong.
   */
  check(): Promise<void> {
    return this.#queue.check();
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
    return this.#queue.enqueue(row, options.tx);
  }

  /**
   * Adds many rows, all or none, and answers their keys in the order given; otherwise as `enqueue`.
   * All rows are encoded before the first is written.
   */
  enqueueMany(
    rows: readonly NewRow[],
    options: { readonly tx?: unknown } = {},
  ): Promise<readonly Key[]> {
    return this.#queue.enqueueMany(rows, options.tx);
  }

  /**
   * Takes up to `limit` due rows (default 1) for a lease (default the queue's), in claim order. They
   * are not extended by themselves. Rows that do not decode are retried with back-off and left out.
   */
  async claim(
    options: { readonly limit?: number | undefined; readonly lease?: Duration | undefined } = {},
  ): Promise<readonly Delivery<Row>[]> {
    const limit = requireCount('limit', options.limit ?? 1);
    const lease = leaseOf(this.#options, options.lease);
    const form = this.#byHand;
    const { reporter, attemptOf } = form.context;
    let rows: readonly LeaseRow[];
    try {
      rows = await form.claim(limit, lease);
    } catch (cause) {
      throw this.#queue.claimFailed(cause);
    }
    return rows.flatMap((held) => {
      try {
        const { row, attempt } = this.#queue.decode(held.fence);
        return [leaseDelivery(form, held, row, attempt)];
      } catch (error) {
        const after = exponentialBackoff(attemptOf(held.fence));
        reporter.report({ kind: 'decode-failed', ...rowEvent(form.context, held), error, after });
        form.settle(held, 'retry', after, () => undefined);
        return [];
      }
    });
  }

  /**
   * Starts a worker over the queue. Does not throw for what the database says: `ready` rejects.
   * Throws an `InboxError` with code `bad-option` for an option that makes no sense.
   */
  work(handler: Handler<Row>, options: LeaseWorkOptions = {}): Worker {
    const concurrency = requireCount('concurrency', options.concurrency ?? 1);
    const poll = pollOf(this.#options, options.poll);
    const lease = leaseOf(this.#options, options.lease);
    return startWorker(keptLeases(this.#form(options.on), lease), {
      handler,
      decode: (cells) => this.#queue.decode(cells),
      deliver: handlerDelivery,
      backoff: options.backoff ?? exponentialBackoff,
      concurrency,
      poll,
    });
  }

  #form(on: EventListener | undefined): LeaseForm {
    const { keyWidth, counted } = this.#spec;
    const shape = { keyWidth, counted };
    return leaseForm({
      ...this.#queue.context(on),
      heldOf: (row) => expiryText({ shape }, row),
      shape,
      store: this.#store,
    });
  }
}
