import { parseDuration, type Duration } from '../duration.js';
import { show } from '../errors/describe.js';

const defaultTimeout = 30_000;

/**
 * How long a stopping worker lets its handlers finish, in milliseconds. A stop is asked for at the end
 * of a program, where an error would only keep it from ending: what is no duration is said as a
 * process warning, and counts as not given.
 */
export function stopTimeout(queue: string, timeout: Duration | undefined): number {
  if (timeout === undefined) return defaultTimeout;
  const milliseconds = parseDuration(timeout);
  if (milliseconds !== undefined) return milliseconds;
  process.emitWarning(
    `Queue ${queue}: stop was given the timeout ${show(timeout)}, which is no duration. It waits 30 seconds: give milliseconds as a number, or text like '250ms', '30s', '5m' or '2h'.`,
    'InboxWarning',
  );
  return defaultTimeout;
}
