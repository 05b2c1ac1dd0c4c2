import type { Cell } from '../../statement.js';
import type { HoldVerb } from '../hold-store.js';
import { failureKind, sqlState } from './failure.js';
import type { PgHeldClient } from './held-client.js';
import { done, endedBefore, type PgSettled } from './hold.js';
import type { PgHoldStatement } from './hold-statement.js';
import type { PgSession } from './session.js';
import { commit, commitAndBegin, rollback } from './transaction.js';

/** The statements that write an outcome; a verb without one gives the row back as it was. */
export type RowLockWrites = Readonly<Partial<Record<HoldVerb, PgHoldStatement>>>;

/** A transaction that an earlier statement's failure has ended already. */
const inFailedTransaction = '25P02';

/**
 * Settles a row inside the transaction that has held it since its claim, and ends that: COMMIT
 * where something is written, else ROLLBACK. The client is back in the pool afterwards, or closed.
 */
export async function settleRowLock(
  session: PgSession,
  held: PgHeldClient,
  write: PgHoldStatement | undefined,
  cells: readonly Cell[],
  milliseconds: number,
): Promise<PgSettled> {
  return write === undefined
    ? giveRowBack(session, held, milliseconds)
    : writeAndCommit(session, held, write({ cells }), milliseconds);
}

/** Whatever becomes of a ROLLBACK, the row is free: at the latest, with the connection that ends. */
async function giveRowBack(
  session: PgSession,
  held: PgHeldClient,
  milliseconds: number,
): Promise<PgSettled> {
  const end = session.clock.monotonic() + milliseconds;
  try {
    await held.within(milliseconds, () => held.query(rollback));
    held.park();
    return done;
  } catch (error) {
    const ended = !held.gaveUp && failureKind(error) === 'connection';
    await held.recover(error, leftUntil(end, session));
    return ended ? { state: 'lost', error } : done;
  }
}

async function writeAndCommit(
  session: PgSession,
  held: PgHeldClient,
  write: ReturnType<PgHoldStatement>,
  milliseconds: number,
): Promise<PgSettled> {
  const end = session.clock.monotonic() + milliseconds;
  const sent = { commit: false };
  try {
    const settled = await held.within(milliseconds, async (): Promise<PgSettled> => {
      const { rowCount } = await held.query(write);
      if (rowCount !== 1) {
        await held.query(rollback);
        const error = new Error('The row that the transaction had locked was not there to write.');
        return { state: 'lost', error, unwritten: true };
      }
      sent.commit = true;
      const ahead = session.parking.beginsAhead();
      const { command } = await held.query(ahead ? commitAndBegin : commit);
      held.begun = ahead;
      // After a failed statement, COMMIT rolls back and does not call it an error.
      if (command !== 'ROLLBACK') return done;
      return { state: 'lost', error: new Error('The server answered COMMIT with ROLLBACK.') };
    });
    held.park();
    return settled;
  } catch (error) {
    const { gaveUp } = held;
    const kind = failureKind(error);
    await held.recover(error, leftUntil(end, session));
    // So that the next delivery does not meet the same pooler.
    if (kind === 'unprepared') await session.mayTryAfter(error, 1);
    if (kind === 'connection') {
      if (sent.commit && !endedBefore(error)) return { state: 'failed', error, ambiguous: true };
      // Whose answer did not come in time has not lost its row before, and has not settled it.
      return gaveUp ? { state: 'failed', error, ambiguous: false } : { state: 'lost', error };
    }
    // What gave way has ended the transaction that the claim began: it cannot be done again.
    return kind === 'again' || sqlState(error) === inFailedTransaction
      ? { state: 'lost', error }
      : { state: 'failed', error, ambiguous: false };
  }
}

/** How much time is left, in milliseconds, and a little at least. */
function leftUntil(end: number, { clock }: PgSession): number {
  return Math.max(1, Math.ceil(end - clock.monotonic()));
}
