import { requireMilliseconds } from '../errors/options.js';
import type { InboxError } from '../errors/inbox-error.js';
import type { SettledAs } from '../forms/events.js';
import { isUndecided, rowEvent, signalOf, type Held } from '../forms/held.js';
import type { LeaseForm } from '../forms/lease.js';
import type { Cell } from '../statement.js';
import { exponentialBackoff, type Backoff } from './backoff.js';
import { afterOf, type HandlerDelivery } from './delivery.js';
import { outcomeOf, type Outcome } from './outcome.js';
import type { MutableTally } from './tally.js';

/** What a worker does with a row. */
export interface HandlerParts {
  /** A claimed row's cells as the handler's arguments. Throws where they do not fit the type. */
  readonly decode: (cells: readonly Cell[]) => {
    readonly row: unknown;
    readonly attempt: number | null;
  };
  readonly handler: (row: never, delivery: HandlerDelivery) => unknown;
  readonly backoff: Backoff;
}

/** Runs handlers and settles what they decide. */
export interface RowHandler {
  /** Runs the handler of a row. Never throws. */
  handle(held: Held): void;
  /** Gives a row back undecided, with its attempt, and forgets one that is lost. */
  giveBack(held: Held): void;
}

/** Hears how rows get on. */
export interface HandlerListener {
  /** A handler has ended, or was never run: it is free for another row. */
  handled(): void;
  /** Whether the row is still the worker's to settle. */
  isHeld(held: Held): boolean;
  /** A row has been settled, is lost, or is left to its lease. */
  settled(held: Held): void;
}

const settledCount = {
  ack: 'acked',
  retry: 'retried',
  drop: 'dropped',
  release: 'released',
} as const satisfies Record<SettledAs, keyof MutableTally>;

/** Runs the handler over rows, one call a row. */
export function rowHandler(
  form: LeaseForm,
  parts: HandlerParts,
  tally: MutableTally,
  listener: HandlerListener,
): RowHandler {
  const { context, settling } = form;
  const { reporter } = context;

  function handle(held: Held): void {
    let decoded;
    try {
      decoded = parts.decode(held.fence);
    } catch (error) {
      retryFailed(held, 'decode-failed', error);
      listener.handled();
      return;
    }
    const { row, attempt } = decoded;
    const delivery = handlerDelivery(held, attempt);
    let returned: unknown;
    try {
      returned = parts.handler(row as never, delivery);
    } catch (error) {
      threw(held, error);
      return;
    }
    if (!isObject(returned)) {
      decided(held, returned);
      return;
    }
    // A promise of our own takes in whatever the handler's does: a `then` that throws, or calls back
    // twice.
    new Promise((resolve) => {
      resolve(returned);
    }).then(
      (value) => {
        decided(held, value);
      },
      (error: unknown) => {
        threw(held, error);
      },
    );
  }

  function decided(held: Held, returned: unknown): void {
    if (isOpen(held)) {
      try {
        settleAs(held, outcomeOf(returned));
      } catch (error) {
        // `retry({ after: 'soon' })`: the delay is nonsense, the wish is clear.
        retryFailed(held, 'handler-failed', error);
      }
    }
    listener.handled();
  }

  function settleAs(held: Held, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'ack':
        settling.settle(held, 'ack', null, heard);
        return;
      case 'retry':
        settling.settle(held, 'retry', afterOf(outcome.after), heard);
        return;
      case 'drop':
        if (reporter.listened()) {
          const { reason } = outcome;
          reporter.report({ kind: 'dropped', ...rowEvent(context, held), reason });
        }
        settling.settle(held, 'drop', null, heard);
    }
  }

  function threw(held: Held, error: unknown): void {
    if (isOpen(held)) {
      const { abortReason } = held;
      // It threw because the worker stops, and has decided nothing.
      if (abortReason?.code === 'worker-stopped') giveBack(held);
      else retryFailed(held, 'handler-failed', error);
    }
    listener.handled();
  }

  /** Whether the row still waits for a decision; forgets one that was lost meanwhile. */
  function isOpen(held: Held): boolean {
    if (held.phase === 'lost' && listener.isHeld(held)) {
      tally.lost += 1;
      listener.settled(held);
    }
    return isUndecided(held);
  }

  function retryFailed(held: Held, kind: 'decode-failed' | 'handler-failed', error: unknown): void {
    const after = backoffOf(held, error);
    reporter.report({ kind, ...rowEvent(context, held), error, after });
    settling.settle(held, 'retry', after, heard);
  }

  function backoffOf(held: Held, error: unknown): number {
    const attempt = context.attemptOf(held.fence);
    try {
      return requireMilliseconds('backoff', parts.backoff(attempt, error), 0);
    } catch {
      return exponentialBackoff(attempt);
    }
  }

  function giveBack(held: Held): void {
    if (isOpen(held)) settling.settle(held, 'release', null, heard);
  }

  function heard(held: Held, error: InboxError | undefined): void {
    if (error === undefined) {
      tally[settledCount[held.as]] += 1;
    } else if (error.code === 'lease-lost') {
      tally.lost += 1;
    } else if (error.code === 'settle-failed' && (held.as === 'ack' || held.as === 'drop')) {
      // The row cannot be finished (a constraint, say): better later again than at the lease's end.
      settling.settle(held, 'retry', backoffOf(held, error), heard);
      return;
    } else {
      tally.failed += 1;
    }
    listener.settled(held);
  }

  return { handle, giveBack };
}

/** The row behind a handler's delivery. */
const heldOf = Symbol('held');

/** One getter for all deliveries: a closure for each would cost more than the rest of them. */
const handlerDeliveries = {
  get signal(): AbortSignal {
    return signalOf((this as unknown as { readonly [heldOf]: Held })[heldOf]);
  },
};

function handlerDelivery(held: Held, attempt: number | null): HandlerDelivery {
  const delivery = Object.create(handlerDeliveries) as {
    attempt: number | null;
    [heldOf]: Held;
  } & HandlerDelivery;
  delivery.attempt = attempt;
  delivery[heldOf] = held;
  return delivery;
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
