import type { Timer } from '../clock/clock.js';
import type { Duration } from '../duration.js';
import type { InboxError } from '../errors/inbox-error.js';
import { requireMilliseconds } from '../errors/options.js';
import type { SettledAs } from '../forms/events.js';
import type { Form } from '../forms/form.js';
import { isUndecided, rowEvent, type Held } from '../forms/held.js';
import type { Cell } from '../statement.js';
import { exponentialBackoff, longestHeldWait, type Backoff } from './backoff.js';
import type { HandlerDelivery } from './handler-delivery.js';
import { outcomeOf, type Outcome } from './outcome.js';
import type { MutableTally } from './tally.js';

/** What a worker does with a row. */
export interface HandlerParts<Row extends Held> {
  /** A claimed row's cells as the handler's arguments. Throws where they do not fit the type. */
  readonly decode: (cells: readonly Cell[]) => {
    readonly row: unknown;
    readonly attempt: number | null;
  };
  /** What the handler gets beside the row. */
  readonly deliver: (row: Row, attempt: number | null) => HandlerDelivery;
  readonly handler: (row: never, delivery: never) => unknown;
  readonly backoff: Backoff;
}

/** Runs handlers and settles what they decide. */
export interface RowHandler<Row extends Held> {
  /** Runs the handler of a row. Never throws. */
  handle(held: Row): void;
  /** Gives a row back undecided, with its attempt, and forgets one that is lost. */
  giveBack(held: Row): void;
  /** Settles at once what waits for its back-off, and whatever would wait for one from now on. */
  hurry(): void;
}

/** Hears how rows get on. */
export interface HandlerListener<Row extends Held> {
  /** A handler has ended, or was never run, and its row does not wait for a back-off. */
  handled(): void;
  /**
   * A row has been settled, is lost, or is left to come back by itself. Where it could not be
   * finished and may be back, its place must stay empty for so many milliseconds, or it would spin.
   */
  settled(held: Row, pause: number): void;
}

const settledCount = {
  ack: 'acked',
  retry: 'retried',
  drop: 'dropped',
  release: 'released',
} as const satisfies Record<SettledAs, keyof MutableTally>;

/** Runs the handler over rows, one call a row. */
export function rowHandler<Row extends Held>(
  form: Form<Row>,
  parts: HandlerParts<Row>,
  tally: MutableTally,
  listener: HandlerListener<Row>,
): RowHandler<Row> {
  const { context } = form;
  const { reporter, clock } = context;
  const waiting = new Map<Row, Timer>();
  let hurried = false;

  function handle(held: Row): void {
    if (!isOpen(held)) {
      listener.handled();
      return;
    }
    let decoded;
    try {
      decoded = parts.decode(held.fence);
    } catch (error) {
      retryFailed(held, 'decode-failed', error);
      return;
    }
    const { row, attempt } = decoded;
    const delivery = parts.deliver(held, attempt);
    let returned: unknown;
    try {
      returned = parts.handler(row as never, delivery as never);
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

  function decided(held: Row, returned: unknown): void {
    if (!isOpen(held)) {
      listener.handled();
      return;
    }
    try {
      settleAs(held, outcomeOf(returned));
    } catch (error) {
      // `retry({ after: 'soon' })`: the delay is nonsense, the wish is clear.
      retryFailed(held, 'handler-failed', error);
    }
  }

  function settleAs(held: Row, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'ack':
        form.settle(held, 'ack', null, heard);
        break;
      case 'retry':
        retryAfter(held, afterOf(outcome.after));
        return;
      case 'drop':
        if (reporter.listened()) {
          const { reason } = outcome;
          reporter.report({ kind: 'dropped', ...rowEvent(context, held), reason });
        }
        form.settle(held, 'drop', null, heard);
    }
    listener.handled();
  }

  function threw(held: Row, error: unknown): void {
    if (!isOpen(held)) {
      listener.handled();
    } else if (held.abortReason?.code === 'worker-stopped') {
      // It threw because the worker stops, and has decided nothing.
      giveBack(held);
      listener.handled();
    } else {
      retryFailed(held, 'handler-failed', error);
    }
  }

  /** Whether the row still waits for a decision; forgets one that was lost meanwhile. */
  function isOpen(held: Row): boolean {
    if (held.phase === 'lost' && form.rows.has(held)) {
      tally.lost += 1;
      listener.settled(held, 0);
    }
    return isUndecided(held);
  }

  function retryFailed(held: Row, kind: 'decode-failed' | 'handler-failed', error: unknown): void {
    const after = backoffOf(held, error);
    reporter.report({ kind, ...rowEvent(context, held), error, after });
    retryAfter(held, after);
  }

  /** Retries a row after a delay: written into the row, or waited for while the row is held. */
  function retryAfter(held: Row, after: number | null): void {
    if (form.delays || after === null || after === 0 || hurried) {
      form.settle(held, 'retry', form.delays ? after : null, heard);
      listener.handled();
      return;
    }
    const timer = clock.after(Math.min(after, longestHeldWait), () => {
      retryWaiting(held);
    });
    waiting.set(held, timer);
  }

  function retryWaiting(held: Row): void {
    waiting.delete(held);
    if (isOpen(held)) form.settle(held, 'retry', null, heard);
    listener.handled();
  }

  function hurry(): void {
    hurried = true;
    for (const [held, timer] of waiting) {
      timer.cancel();
      retryWaiting(held);
    }
  }

  function backoffOf(held: Row, error: unknown): number {
    const attempt = context.attemptOf(held.fence);
    const longest = form.delays ? Infinity : longestHeldWait;
    try {
      return Math.min(longest, requireMilliseconds('backoff', parts.backoff(attempt, error), 0));
    } catch {
      return Math.min(longest, exponentialBackoff(attempt));
    }
  }

  function giveBack(held: Row): void {
    if (isOpen(held)) form.settle(held, 'release', null, heard);
  }

  function heard(held: Row, error: InboxError | undefined): void {
    const finishes = held.as === 'ack' || held.as === 'drop';
    let pause = 0;
    if (error === undefined) {
      tally[settledCount[held.as]] += 1;
    } else if (held.phase === 'lost') {
      tally.lost += 1;
      // Its lease still runs, if it has one; if not, it may be due at once, and be lost again.
      if (finishes && !form.delays) pause = backoffOf(held, error);
    } else if (error.code === 'settle-failed' && finishes) {
      // The row cannot be finished (a constraint, say), and would fail again at once.
      pause = backoffOf(held, error);
      if (isUndecided(held)) {
        form.settle(held, 'retry', pause, heard);
        return;
      }
      tally.failed += 1;
    } else {
      tally.failed += 1;
    }
    listener.settled(held, pause);
  }

  return { handle, giveBack, hurry };
}

/** A retry's delay in milliseconds; null for none. Throws `bad-option` for what is no duration. */
export function afterOf(after: Duration | undefined): number | null {
  return after === undefined ? null : requireMilliseconds('after', after, 0);
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
