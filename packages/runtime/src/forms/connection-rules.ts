import type { ConnectionBudget } from '../drivers/connection-budget.js';
import { InboxError } from '../errors/inbox-error.js';
import type { InboxEvent } from './events.js';

/**
 * Enters a worker into the account of connections; the answer strikes it off. Throws an `InboxError`
 * with code `connection-limit` where the workers together would pass the owner's limit.
 */
export function refuseBeyondLimit(
  queue: string,
  connections: ConnectionBudget,
  concurrency: number,
): () => void {
  const leave = connections.enter(concurrency);
  if (leave !== undefined) return leave;
  const { entered, limit } = connections;
  throw new InboxError(
    'connection-limit',
    `Queue ${queue}: a worker with concurrency ${concurrency} would hold as many connections, the workers that run already hold up to ${entered}, and connectionLimit is ${String(limit)}. Raise the limit, or lower a concurrency.`,
    { queue },
  );
}

/** What is to be said of a worker with whom the pool is too small for all that its workers want. */
export function limitReport(
  queue: string,
  connections: ConnectionBudget,
  concurrency: number,
): InboxEvent | undefined {
  const { entered: asked, most, poolSize } = connections;
  if (asked <= most) return undefined;
  return {
    kind: 'concurrency-limited',
    queue,
    ...{ concurrency, asked, most, poolSize },
    message: `the workers ask for ${asked} rows at a time, each with a connection of its own, and the pool of ${poolSize} has ${most} for them, so fewer are in work at a time. ${poolSize === 1 ? 'A handler must not use this pool: its only connection holds the row. ' : ''}Size the pool to the sum of concurrency over all queues that hold connections, plus one for each in advisory form, plus one, plus what handlers use themselves.`,
  };
}
