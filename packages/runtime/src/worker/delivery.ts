import type { Duration } from '../duration.js';
import { messageOf, show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { requireMilliseconds } from '../errors/options.js';
import type { Extension } from '../forms/extend-lane.js';
import type { SettledAs } from '../forms/events.js';
import {
  isUndecided,
  leaseLost,
  rowEvent,
  signalOf,
  unproveRow,
  type Held,
} from '../forms/held.js';
import type { LeaseForm } from '../forms/lease.js';

/** What a handler gets beside the row. */
export interface HandlerDelivery {
  /** Which delivery of the row this is: the first is 1. Null where the table does not count. */
  readonly attempt: number | null;
  /**
   * Aborts when the row's lease is lost or can no longer be proved, and when the worker stops and
   * its time is up. The reason is a `LeaseLostError`, or an `InboxError` with code `worker-stopped`.
   */
  readonly signal: AbortSignal;
}

/**
 * A row that was claimed by hand. It is not extended by itself. Every settlement resolves when it
 * is committed, and rejects with a `LeaseLostError` where the row is no longer this delivery's, or
 * an `InboxError` with code `already-settled`, `settle-busy` or `settle-failed`.
 */
export interface Delivery<Row> extends HandlerDelivery, AsyncDisposable {
  readonly row: Row;
  /** The row is done. */
  ack(): Promise<void>;
  /** The row is due again, at once or after a delay. */
  retry(options?: { readonly after?: Duration | undefined }): Promise<void>;
  /** The row is finished without having been worked; the reason becomes an event. */
  drop(reason?: string): Promise<void>;
  /** Gives the row back undecided: due at once, the attempt not counted. */
  release(): Promise<void>;
  /**
   * Holds the row for another `lease` from now (default: the lease it was claimed with). Rejects
   * with a `LeaseLostError`, or with `extend-failed` once the lease can no longer be proved.
   */
  extend(options?: { readonly lease?: Duration | undefined }): Promise<void>;
}

/** The longest pause between two tries of an extension, in milliseconds. */
const longestPause = 250;

/** A delivery over a held row. */
export function deliveryOf<Row>(
  form: LeaseForm,
  held: Held,
  row: Row,
  attempt: number | null,
): Delivery<Row> {
  const { context } = form;
  // One extension at a time: the next one needs the expiry that the last one wrote.
  let extending: Promise<unknown> | undefined;

  function settle(as: SettledAs, after: () => number | null = () => null): Promise<void> {
    return heard(
      new Promise((resolve, reject) => {
        const refusal = refusalOf(form, held);
        if (refusal !== undefined) throw refusal;
        form.settling.settle(held, as, after(), (_, error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
      }),
    );
  }

  async function extend(lease: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const refusal = refusalOf(form, held);
      if (refusal !== undefined) throw refusal;
      const [extension, error] = await extendOnce(form, held, lease, tries > 1);
      if (extension === 'done') return;
      if (extension === 'lost') throw error;
      if (context.clock.monotonic() >= held.provedUntil) throw extendFailed(form, held, error);
      await new Promise<void>((resolve) => {
        context.clock.after(Math.min(5 * 2 ** tries, longestPause), resolve);
      });
    }
  }

  return {
    row,
    attempt,
    get signal() {
      watch(form, held);
      return signalOf(held);
    },
    ack: () => settle('ack'),
    retry: ({ after } = {}) => settle('retry', () => afterOf(after)),
    drop(reason) {
      if (isUndecided(held) && context.reporter.listened()) {
        context.reporter.report({ kind: 'dropped', ...rowEvent(context, held), reason });
      }
      return settle('drop');
    },
    release: () => settle('release'),
    extend({ lease } = {}) {
      const next = async (): Promise<void> =>
        extend(lease === undefined ? held.lease : requireMilliseconds('lease', lease, 1));
      const extension = heard(extending === undefined ? next() : extending.then(next, next));
      extending = extension;
      return extension;
    },
    async [Symbol.asyncDispose]() {
      if (!isUndecided(held)) return;
      try {
        await settle('release');
      } catch (error) {
        // Nothing is left to give back.
        if (!(error instanceof InboxError && error.code === 'lease-lost')) throw error;
      }
    },
  };
}

/** A retry's delay in milliseconds; null for none. Throws `bad-option` for what is no duration. */
export function afterOf(after: Duration | undefined): number | null {
  return after === undefined ? null : requireMilliseconds('after', after, 0);
}

function extendOnce(
  form: LeaseForm,
  held: Held,
  lease: number,
  alone: boolean,
): Promise<[Extension, unknown]> {
  return new Promise((resolve) => {
    const verb = alone ? 'extendBusy' : 'extend';
    form.extending[verb](held, lease, (_, extension, error) => {
      resolve([extension, error]);
    });
  });
}

/** Why a row can be neither settled nor extended, if it cannot. */
function refusalOf({ context }: LeaseForm, held: Held): InboxError | undefined {
  if (held.phase === 'lost') {
    return leaseLost(
      context,
      held,
      "the row is no longer this delivery's: its lease ended and it was claimed again, or it was changed elsewhere.",
    );
  }
  const { queue } = context;
  const id = context.keyOf(held.fence);
  const refuse = (what: string): InboxError =>
    new InboxError('already-settled', `Queue ${queue}, row ${show(id)}: ${what}`, { queue, id });
  if (held.waiting || ['decided', 'settling', 'settled'].includes(held.phase)) {
    return refuse(`this delivery was settled before (${held.as}). Settle each delivery once.`);
  }
  return undefined;
}

function extendFailed({ context }: LeaseForm, held: Held, cause: unknown): InboxError {
  const { queue } = context;
  const id = context.keyOf(held.fence);
  const why = cause === undefined ? 'somebody else has it locked' : messageOf(cause);
  return new InboxError(
    'extend-failed',
    `Queue ${queue}, row ${show(id)}: the lease could not be extended in time: ${why}. It can no longer be proved that the row is this delivery's.`,
    { queue, id, cause },
  );
}

/** Aborts the row's signal when its lease can no longer be proved; set once a signal is asked for. */
function watch(form: LeaseForm, held: Held): void {
  if (held.watch !== undefined || !isUndecided(held) || held.abortReason !== undefined) return;
  const { clock } = form.context;
  held.watch = clock.after(held.provedUntil - clock.monotonic(), () => {
    held.watch = undefined;
    if (!isUndecided(held)) return;
    if (clock.monotonic() >= held.provedUntil) unproveRow(form.context, held);
    else watch(form, held);
  });
}

/** A rejection that nobody awaits must not end the process: the events have told of it. */
function heard<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
