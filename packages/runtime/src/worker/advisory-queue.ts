import type { InboxDatabase } from '../drivers/database.js';
import type { OwnLock } from '../drivers/own-lock.js';
import { refusingHoldStore } from '../drivers/refusing-store.js';
import { advisory } from '../forms/hold-row.js';
import type { AdvisoryDatabaseName, AdvisorySpec } from '../spec.js';
import type { KeyedHeldDelivery } from './delivery.js';
import type { AdvisoryHandler } from './handler.js';
import { keyedDelivery } from './handler-delivery.js';
import { keyedHeldDelivery } from './held-delivery.js';
import { holdingQueue, type HoldingQueue } from './holding-queue.js';
import { openStore } from './open-store.js';
import type { QueueOptions, WorkOptions } from './options.js';
import { tableQueue, type TableQueue } from './table-queue.js';
import type { Worker } from './worker.js';

/**
 * A queue in advisory form: while a row is in work its key is locked by a session, so that rows of
 * one key are in work one at a time, across processes. Each row in work holds a connection of the
 * pool; on SQLite the process keeps the keys, one process a file. Generated classes extend this one.
 */
export class AdvisoryQueue<Row, NewRow, Key, Name extends AdvisoryDatabaseName> {
  readonly #queue: TableQueue<Row, NewRow, Key>;
  readonly #holding: HoldingQueue<Row>;

  /** Does no I/O. Throws an `InboxError` with code `bad-option` for an option that makes no sense. */
  constructor(
    database: InboxDatabase<Name>,
    spec: AdvisorySpec<Row, NewRow, Key, Name>,
    options: QueueOptions = {},
    ownLock?: OwnLock<Name>,
  ) {
    const store = openStore(
      database,
      spec,
      (given) => given.openAdvisory(spec, ownLock),
      refusingHoldStore,
    );
    const { table } = spec;
    this.#queue = tableQueue(database, spec, store, options);
    this.#holding = holdingQueue({
      ...{ kind: advisory, database, table, store, queue: this.#queue, options },
    });
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
   * better-sqlite3 database itself) the row is written inside the caller's own transaction and
   * commits with it.
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
   * Takes up to `limit` due rows (default 1), in claim order, and no more than there are connections
   * free now: it never waits for one. Each row is held until it is settled. Rows that do not decode
   * are retried with back-off and left out.
   */
  claim(
    options: { readonly limit?: number | undefined } = {},
  ): Promise<readonly KeyedHeldDelivery<Row>[]> {
    return this.#holding.claim(options.limit, keyedHeldDelivery);
  }

  /**
   * Starts a worker over the queue. Does not throw for what the database says: `ready` rejects, also
   * with code `connection-limit`. Throws an `InboxError` with code `bad-option` for an option that
   * makes no sense.
   */
  work(handler: AdvisoryHandler<Row>, options: WorkOptions = {}): Worker {
    return this.#holding.work(handler, keyedDelivery, options);
  }
}
