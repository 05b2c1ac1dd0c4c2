import { connectionBudget } from '../drivers/connection-budget.js';
import type { InboxDatabase } from '../drivers/database.js';
import type { HoldStore } from '../drivers/hold-store.js';
import { requireCount } from '../errors/options.js';
import type { EventListener } from '../forms/events.js';
import { rowEvent } from '../forms/held.js';
import { holdingForm, type HoldingForm } from '../forms/holding.js';
import type { HoldingKind, HoldRow } from '../forms/hold-row.js';
import { inWorkOf } from '../forms/in-work.js';
import { exponentialBackoff, longestHeldWait } from './backoff.js';
import type { HandlerDelivery } from './handler-delivery.js';
import { pollOf, type QueueOptions, type WorkOptions } from './options.js';
import type { TableQueue } from './table-queue.js';
import { startWorker, type Worker } from './worker.js';

/** What the queues do alike whose rows are held by sessions. */
export interface HoldingQueue<Row> {
  /**
   * Takes up to `limit` due rows, one after the other and for as many as there is a connection free
   * now, and makes deliveries of them.
   */
  claim<Made>(
    limit: number | undefined,
    make: (form: HoldingForm, held: HoldRow, row: Row, attempt: number | null) => Made,
  ): Promise<readonly Made[]>;
  work(
    handler: (row: Row, delivery: never) => unknown,
    deliver: (held: HoldRow, attempt: number | null) => HandlerDelivery,
    options: WorkOptions,
  ): Worker;
}

/** What a holding queue is made of. */
export interface HoldingParts<Row> {
  readonly kind: HoldingKind;
  readonly database: InboxDatabase;
  readonly table: string;
  readonly store: HoldStore;
  readonly queue: TableQueue<Row, never, unknown>;
  readonly options: QueueOptions;
}

/** A queue whose rows are held by sessions. */
export function holdingQueue<Row>(parts: HoldingParts<Row>): HoldingQueue<Row> {
  const { kind, database, table, store, queue, options } = parts;
  // What is no database has none, and its store refuses every claim.
  const given = database as Partial<InboxDatabase> | undefined;
  const connections = given?.connections ?? connectionBudget(1);
  const inWork = inWorkOf(database, table);
  const byHand = formFor(undefined);

  function formFor(on: EventListener | undefined): HoldingForm {
    const context = queue.context(on);
    return holdingForm({
      ...context,
      heldOf: ({ hold, number }) => `${hold.session} #${number}`,
      kind,
      store,
      connections,
      inWork,
    });
  }

  async function claimRows(limit: number): Promise<readonly HoldRow[]> {
    const rows: HoldRow[] = [];
    while (rows.length < limit) {
      let claimed;
      try {
        claimed = await byHand.claim(limit - rows.length, false);
      } catch (cause) {
        const error = queue.claimFailed(cause);
        if (rows.length === 0) throw error;
        // Those that were claimed before must not be lost for it.
        const { reporter, queue: name } = byHand.context;
        reporter.report({ kind: 'claim-failed', queue: name, error });
        break;
      }
      if (claimed === undefined || claimed.length === 0) break;
      for (const row of claimed) rows.push(row);
    }
    return rows;
  }

  /** Retries a row that does not decode once its back-off is over; it is held until then. */
  function retryLater(held: HoldRow, error: unknown): void {
    const { reporter, clock, attemptOf } = byHand.context;
    const after = Math.min(longestHeldWait, exponentialBackoff(attemptOf(held.fence)));
    reporter.report({ kind: 'decode-failed', ...rowEvent(byHand.context, held), error, after });
    const forget = (row: HoldRow): void => {
      byHand.forget(row);
    };
    const timer = clock.after(after, () => {
      if (held.phase === 'held') byHand.settle(held, 'retry', null, forget);
      else forget(held);
    });
    // The end of the process gives the row back as well.
    timer.unref?.();
  }

  return {
    async claim(limit, make) {
      const rows = await claimRows(requireCount('limit', limit ?? 1));
      return rows.flatMap((held) => {
        try {
          const { row, attempt } = queue.decode(held.fence);
          return [make(byHand, held, row, attempt)];
        } catch (error) {
          retryLater(held, error);
          return [];
        }
      });
    },
    work(handler, deliver, { concurrency = 1, poll, backoff = exponentialBackoff, on }) {
      requireCount('concurrency', concurrency);
      const pollEvery = pollOf(options, poll);
      return startWorker(formFor(on), {
        handler,
        decode: (cells) => queue.decode(cells),
        deliver,
        backoff,
        concurrency,
        poll: pollEvery,
      });
    },
  };
}
