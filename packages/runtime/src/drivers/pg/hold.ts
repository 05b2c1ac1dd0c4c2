import type { Cell } from '../../statement.js';
import type { Hold, HoldSettled, HoldVerb } from '../hold-store.js';
import { sqlState } from './failure.js';
import type { PgHeldClient } from './held-client.js';

/** How long a release may take, so that a row that nobody works on any more is soon free. */
const releaseLimit = 5_000;

/** How a settlement ended; whether the connection was closed is the client's to say. */
export type PgSettled = WithoutClosed<HoldSettled>;

type WithoutClosed<Settled> = Settled extends unknown ? Omit<Settled, 'closed'> : never;

export const done: PgSettled = { state: 'done' };

const doneAndFree: HoldSettled = { state: 'done', closed: false };

/**
 * A row that a client's session holds. `settle` writes the outcome, frees the row and parts with the
 * client, within so many milliseconds; it does not reject.
 */
export function pgHold(
  held: PgHeldClient,
  { cells, lockKey }: { readonly cells: readonly Cell[]; readonly lockKey: string | null },
  answerTimeout: number,
  settle: (verb: HoldVerb, milliseconds: number) => Promise<PgSettled>,
): Hold {
  let settling = false;
  return {
    cells,
    lockKey,
    session: held.session,
    onEnd(listener) {
      held.onEnd((error) => {
        if (!settling) listener(error);
      });
    },
    async settle(verb): Promise<HoldSettled> {
      settling = true;
      const { ended } = held;
      if (ended !== undefined) {
        held.close(ended);
        return { state: 'lost', error: ended, closed: true };
      }
      const limit = verb === 'release' ? Math.min(releaseLimit, answerTimeout) : answerTimeout;
      const settled = await settle(verb, limit);
      return settled === done && !held.closed ? doneAndFree : { ...settled, closed: held.closed };
    },
  };
}

/**
 * The server says that it ended the session while nothing ran on it: idle for too long, inside a
 * transaction or outside of one, or its transaction had lasted too long. The statement that heard of
 * it was never executed.
 */
export function endedBefore(error: unknown): boolean {
  const state = sqlState(error);
  return state === '25P03' || state === '25P04' || state === '57P05';
}
