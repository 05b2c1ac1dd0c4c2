import type { Duration } from '../duration.js';

declare const outcomeBrand: unique symbol;

/** What a handler decided about its row: made by `ack`, `retry` or `drop`. */
export type Outcome = AckOutcome | RetryOutcome | DropOutcome;

interface AckOutcome {
  readonly kind: 'ack';
  readonly [outcomeBrand]: true;
}

interface RetryOutcome {
  readonly kind: 'retry';
  readonly after: Duration | undefined;
  readonly [outcomeBrand]: true;
}

interface DropOutcome {
  readonly kind: 'drop';
  readonly reason: string | undefined;
  readonly [outcomeBrand]: true;
}

/** Told apart from whatever else a handler returns, also by another copy of this package. */
const mark = Symbol.for('inbox-runtime.outcome');

/** The row is done. Returning nothing says the same. */
export function ack(): Outcome {
  return acked;
}

/**
 * The row is due again: at once, or `after` a delay (at most 100 years). It counts as an attempt.
 */
export function retry(options: { readonly after?: Duration | undefined } = {}): Outcome {
  return marked({ kind: 'retry', after: options.after });
}

/** The row is finished without having been worked; the reason becomes an event. */
export function drop(reason?: string): Outcome {
  return marked({ kind: 'drop', reason });
}

/** What a handler returned, as an outcome; anything that is none acknowledges. */
export function outcomeOf(returned: unknown): Outcome {
  return typeof returned === 'object' && returned !== null && mark in returned
    ? (returned as unknown as Outcome)
    : acked;
}

function marked(outcome: object): Outcome {
  return Object.freeze({ ...outcome, [mark]: true }) as unknown as Outcome;
}

const acked: Outcome = marked({ kind: 'ack' });
