import type { Duration } from '../duration.js';

/**
 * How long a row waits after its handler threw, or after it could not be decoded. `attempt` is 1
 * after the first delivery, null where the table does not count.
 */
export type Backoff = (attempt: number | null, error: unknown) => Duration;

/** The wait after the first failure, in milliseconds. */
const firstWait = 1_000;
/** The longest wait, in milliseconds: one hour. */
const longestWait = 3_600_000;
/** A table that does not count attempts waits as after its third. */
const uncountedAttempt = 3;

/**
 * The longest time that a row is held for its back-off, where that cannot be written into the row: a
 * minute, in milliseconds.
 */
export const longestHeldWait = 60_000;

/**
 * The default back-off: 1 s after the first failure, doubling with every attempt up to an hour,
 * and of that a random part between a half and the whole, so that rows that failed together do not
 * come back together. A table without an attempt column waits 2 to 4 s each time.
 */
export function exponentialBackoff(attempt: number | null): number {
  const doublings = Math.max(0, (attempt ?? uncountedAttempt) - 1);
  const whole = Math.min(longestWait, firstWait * 2 ** Math.min(doublings, 30));
  return Math.round(whole * (0.5 + Math.random() / 2));
}
