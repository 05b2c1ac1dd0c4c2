/** What every transaction of ours begins with, whatever the session's default. */
export const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
export const commit = 'COMMIT';
/** Commits, and begins the next transaction of the same isolation level. */
export const commitAndBegin = 'COMMIT AND CHAIN';
export const rollback = 'ROLLBACK';
