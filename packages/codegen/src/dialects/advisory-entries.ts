import type { AdvisoryQueue, LockFragment, OwnLock } from '../queue/queue.js';
import type { Statement, StatementSet } from './statements.js';

/** The entry that takes a delivery back; without a count there is nothing to take back. */
export function releaseEntries(
  queue: AdvisoryQueue,
  comment: string,
  releaseStatement: () => Statement,
): StatementSet['entries'] {
  if (queue.attempt === undefined) return [];
  return [{ name: 'release', comment, statement: releaseStatement() }];
}

/**
 * The entries of an author's own lock in SQL; none where it is our lock, or functions. `yes` is how
 * the database writes that it was done.
 */
export function lockEntries(
  ownLock: OwnLock | undefined,
  yes: 'true' | '1',
  fragmentStatement: (fragment: LockFragment) => Statement,
): StatementSet['entries'] {
  if (ownLock?.kind !== 'sql') return [];
  return [
    {
      name: 'lock',
      comment: `The lock of \`@lock\`: ${yes} where it was taken.`,
      statement: fragmentStatement(ownLock.lock),
    },
    {
      name: 'unlock',
      comment: `The unlock of \`@unlock\`: ${yes} where the lock was held.`,
      statement: fragmentStatement(ownLock.unlock),
    },
  ];
}
