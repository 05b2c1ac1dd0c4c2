import { durationLimit, parseDuration, type Duration } from '../duration.js';
import { show } from './describe.js';
import { InboxError } from './inbox-error.js';

/**
 * An option that is a duration, in whole milliseconds, rounded up and at most 100 years.
 *
 * Throws an `InboxError` with code `bad-option` for anything else, and for less than `least`
 * milliseconds.
 */
export function requireMilliseconds(option: string, value: Duration, least: number): number {
  const milliseconds = parseDuration(value);
  if (milliseconds === undefined) {
    throw new InboxError(
      'bad-option',
      `"${option}" is ${show(value)}, which is no duration: give milliseconds as a number, or text like '250ms', '30s', '5m' or '2h'.`,
    );
  }
  if (milliseconds < least) {
    throw new InboxError(
      'bad-option',
      `"${option}" is ${show(value)}: the least that makes sense is ${least} ms.`,
    );
  }
  return Math.min(milliseconds, durationLimit);
}

/**
 * An option that counts things: a whole number from 1 up.
 *
 * Throws an `InboxError` with code `bad-option` for anything else.
 */
export function requireCount(option: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InboxError(
      'bad-option',
      `"${option}" is ${show(value)}: give a whole number from 1 up.`,
    );
  }
  return value;
}
