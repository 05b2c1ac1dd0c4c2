import { failureKind } from './failure.js';
import { asError, type PgHeldClient } from './held-client.js';
import { done, endedBefore, type PgSettled } from './hold.js';
import type { PgQuery } from './pool.js';
import type { PgSession } from './session.js';
import { begin, commit, rollback } from './transaction.js';

/** The lock on a row's key, as its settlement needs it. */
export interface PgKeyLock {
  /** Whether it is the author's own: then is told what became of an `unlock` that failed. */
  readonly own: boolean;
  /** Gives it back; answers whether the session held it. */
  readonly unlock: () => Promise<boolean>;
}

/**
 * Settles a row whose key this session has locked: writes the outcome where there is something to
 * write, then gives the lock back. The client is back in the pool afterwards if the lock is known
 * to be free, else it is closed.
 */
export async function settleLocked(
  session: PgSession,
  held: PgHeldClient,
  write: (() => PgQuery) | undefined,
  { own, unlock }: PgKeyLock,
  milliseconds: number,
): Promise<PgSettled> {
  const writing: Writing = { sent: false, over: false, settled: undefined };
  const told = (settled: PgSettled, unlockProblem: unknown): PgSettled =>
    own ? { ...settled, unlockProblem } : settled;
  const run = async (): Promise<boolean> => {
    if (write !== undefined) writing.settled = await writeOutcome(session, held, write, writing);
    writing.over = true;
    return unlock();
  };
  try {
    if (await held.within(milliseconds, run, own ? 'foreign' : undefined)) {
      held.park();
      const { settled = done } = writing;
      // The lock was held to the last, so that it was the row that could not be written.
      return settled.state === 'lost' ? { ...settled, unwritten: true } : settled;
    }
  } catch (error) {
    // Whether it is free is not known; with the session's end, it is.
    held.close(asError(error));
    const ended = !held.gaveUp && endedBefore(error);
    if (writing.settled !== undefined) return told(writing.settled, error);
    if (ended) return { state: 'lost', error };
    return writing.over ? told(done, error) : { state: 'failed', error, ambiguous: writing.sent };
  }
  const error = new Error('The lock was given back, and the session did not hold it.');
  held.close(error);
  // What was not written was no longer this session's; what was, was written under the lock.
  const { settled = { state: 'lost', error } } = writing;
  return settled.state === 'done' ? told(settled, error) : settled;
}

/** How far the writing of an outcome has come. */
interface Writing {
  /** Whether what was sent may count by now. */
  sent: boolean;
  /** Whether there is nothing more to write: the lock is being given back. */
  over: boolean;
  /** How it ended, once it has. */
  settled: PgSettled | undefined;
}

/**
 * Writes the outcome, again where it only gave way to another transaction. Rejects where the
 * connection ended.
 */
async function writeOutcome(
  session: PgSession,
  held: PgHeldClient,
  write: () => PgQuery,
  writing: Writing,
): Promise<PgSettled> {
  for (let tries = 1; ; tries += 1) {
    writing.sent = false;
    try {
      if ((await writeRow(session, held, write(), writing)) === 1) return done;
      const error = new Error('Its session no longer holds the lock, or the row has changed.');
      return { state: 'lost', error };
    } catch (error) {
      if (failureKind(error) === 'connection') throw error;
      if (!(await session.mayTryAfter(error, tries))) {
        return { state: 'failed', error, ambiguous: false };
      }
    }
  }
}

/** One statement that is READ COMMITTED, whatever the session's default. Notes when it may count. */
async function writeRow(
  session: PgSession,
  held: PgHeldClient,
  query: PgQuery,
  writing: Writing,
): Promise<number> {
  if (!(await session.needsTransaction())) {
    writing.sent = true;
    return (await held.query(query)).rowCount ?? 0;
  }
  try {
    await held.query(begin);
    const { rowCount } = await held.query(query);
    writing.sent = true;
    await held.query(commit);
    return rowCount ?? 0;
  } catch (error) {
    // The lock is the session's, and stays.
    if (failureKind(error) !== 'connection') await held.query(rollback);
    throw error;
  }
}
