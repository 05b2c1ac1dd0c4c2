import type { Duration } from '../duration.js';

declare const outcomeBrand: unique symbol;

/**
 * What a handler decided about its row: made by `ack`, `retry` or `drop`. In row-lock and advisory
 * form it can be a `PromptOutcome` only.
 */
export type Outcome = PromptOutcome | DelayedRetry;

/** An outcome that every table can have: none that keeps the row from being due until later. */
export type PromptOutcome = Ack | Retry | Drop;

/** The row is done. */
export interface Ack {
  readonly kind: 'ack';
  readonly [outcomeBrand]: true;
}

/** The row is due again at once. */
export interface Retry {
  readonly kind: 'retry';
  readonly after: undefined;
  readonly [outcomeBrand]: true;
}

/** The row is due again after a delay, where one is given. */
export interface DelayedRetry {
  readonly kind: 'retry';
  readonly after: Duration | undefined;
  readonly [outcomeBrand]: true;
}

/** The row is finished without having been worked. */
export interface Drop {
  readonly kind: 'drop';
  readonly reason: string | undefined;
  readonly [outcomeBrand]: true;
}

/** Told apart from whatever else a handler returns, also by another copy of this package. */
const mark = Symbol.for('inbox-runtime.outcome');

/** The row is done. Returning nothing says the same. */
export function ack(): Ack {
  return acked;
}

/** The row is due again at once. It counts as an attempt. */
export function retry(): Retry;
/**
 * The row is due again `after` a delay (at most 100 years), in lease form. It counts as an attempt.
 */
export function retry(options: { readonly after?: Duration | undefined }): DelayedRetry;
export function retry(options: { readonly after?: Duration | undefined } = {}): DelayedRetry {
  return marked<DelayedRetry>({ kind: 'retry', after: options.after });
}

/** The row is finished without having been worked; the reason becomes an event. */
export function drop(reason?: string): Drop {
  return marked<Drop>({ kind: 'drop', reason });
}

/** What a handler returned, as an outcome; anything that is none acknowledges. */
export function outcomeOf(returned: unknown): Outcome {
  return typeof returned === 'object' && returned !== null && mark in returned
    ? (returned as unknown as Outcome)
    : acked;
}

function marked<Made extends Outcome>(outcome: Omit<Made, typeof outcomeBrand>): Made {
  return Object.freeze({ ...outcome, [mark]: true }) as unknown as Made;
}

const acked = marked<Ack>({ kind: 'ack' });
