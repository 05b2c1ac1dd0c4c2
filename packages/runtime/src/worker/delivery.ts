import type { Duration } from '../duration.js';
import { show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import type { SettledAs } from '../forms/events.js';
import type { Settling } from '../forms/form.js';
import { isUndecided, rowEvent, type Held } from '../forms/held.js';
import type { HandlerDelivery, KeyedDelivery } from './handler-delivery.js';

/** What every row that was claimed by hand can be asked for. */
export interface ClaimedRow<Row> extends HandlerDelivery, AsyncDisposable {
  readonly row: Row;
  /** The row is done. */
  ack(): Promise<void>;
  /** The row is finished without having been worked; the reason becomes an event. */
  drop(reason?: string): Promise<void>;
  /** Gives the row back undecided: due at once, the attempt not counted. */
  release(): Promise<void>;
}

/**
 * A row in lease form that was claimed by hand. It is not extended by itself. Every settlement
 * resolves when it is committed, and rejects with a `LeaseLostError` where the row is no longer this
 * delivery's, or an `InboxError` with code `already-settled`, `settle-busy` or `settle-failed`.
 */
export interface Delivery<Row> extends ClaimedRow<Row> {
  /** The row is due again, at once or after a delay. */
  retry(options?: { readonly after?: Duration | undefined }): Promise<void>;
  /**
   * Holds the row for another `lease` from now (default: the lease it was claimed with). Rejects
   * with a `LeaseLostError`, or with `extend-failed` once the lease can no longer be proved.
   */
  extend(options?: { readonly lease?: Duration | undefined }): Promise<void>;
}

/**
 * A row in row-lock form that was claimed by hand: it holds a connection until it is settled. One
 * that is dropped without a settlement is given back once it is garbage, or its process ends. Every
 * settlement resolves when it is committed, and rejects with an `InboxError` with code
 * `transaction-lost`, `already-settled` or `settle-failed`; the delivery is then over.
 */
export interface HeldDelivery<Row> extends ClaimedRow<Row> {
  /** The row is due again at once. */
  retry(): Promise<void>;
}

/** The same in advisory form, where a settlement rejects with `lock-lost` when the session ended. */
export interface KeyedHeldDelivery<Row> extends HeldDelivery<Row>, KeyedDelivery {}

/** What the deliveries of all forms do alike. */
export interface Settlements {
  settle(as: SettledAs, after?: () => number | null): Promise<void>;
  drop(reason: string | undefined): Promise<void>;
  /** Gives the row back, if nothing was decided about it. */
  dispose(): Promise<void>;
}

/** The settlements of a row that was claimed by hand. */
export function settlementsOf<Row extends Held>(form: Settling<Row>, held: Row): Settlements {
  const { context } = form;

  function settle(as: SettledAs, after: () => number | null = () => null): Promise<void> {
    return heard(
      new Promise((resolve, reject) => {
        const refusal = refusalOf(form, held);
        if (refusal !== undefined) throw refusal;
        form.settle(held, as, after(), (_, error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
      }),
    );
  }

  return {
    settle,
    drop(reason) {
      if (isUndecided(held) && context.reporter.listened()) {
        context.reporter.report({ kind: 'dropped', ...rowEvent(context, held), reason });
      }
      return settle('drop');
    },
    async dispose() {
      if (!isUndecided(held)) return;
      try {
        await settle('release');
      } catch (error) {
        // A lost row is back already.
        if (held.phase !== 'lost') throw error;
      }
    },
  };
}

/** Why a row can be neither settled nor extended, if it cannot. */
export function refusalOf<Row extends Held>(
  form: Settling<Row>,
  held: Row,
): InboxError | undefined {
  if (isUndecided(held)) return undefined;
  if (held.phase === 'lost') return form.lostError(held);
  const { queue, keyOf } = form.context;
  const id = keyOf(held.fence);
  return new InboxError(
    'already-settled',
    `Queue ${queue}, row ${show(id)}: this delivery was settled before (${held.as}). Settle each delivery once.`,
    { queue, id },
  );
}

/** A rejection that nobody awaits must not end the process: the events have told of it. */
export function heard<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
