import { afterTurnEnd } from '../../clock/turn.js';
import type { PgHeldClient } from './held-client.js';
import { isEnded, type PgPool } from './pool.js';

/**
 * The clients of a pool that were freed in this turn of the event loop. A worker claims its next rows
 * when the turn ends, and takes them over; what is left goes back to the pool right after. So a busy
 * worker does not hand each row's client to the pool only to ask for it again, and a transaction that
 * is over can be followed by the next one in the same statement.
 */
export interface PgParking {
  /** Keeps a client whose session holds nothing, but for a transaction that has only begun. */
  readonly park: (held: PgHeldClient) => void;
  /** A client that nobody uses, and whose session has not ended as far as is known. */
  readonly take: (kind: 'clean' | 'begun') => PgHeldClient | undefined;
  /** Whether a transaction is likely to be wanted: the last client that was freed was taken for one. */
  readonly beginsAhead: () => boolean;
}

/** How often a client is taken over until the pool has it again, and may see that it is too old. */
const mostTakeovers = 100;

/** A pool's parking. A ROLLBACK may take `answerTimeout`, in milliseconds. */
export function pgParking(pool: PgPool, answerTimeout: number): PgParking {
  const parked = { clean: [] as PgHeldClient[], begun: [] as PgHeldClient[] };
  let ahead = false;

  function giveBackAll(): void {
    for (let held = parked.clean.pop(); held !== undefined; held = parked.clean.pop()) {
      held.giveBack();
    }
    for (let held = parked.begun.pop(); held !== undefined; held = parked.begun.pop()) {
      ahead = false;
      void held.rollBack(answerTimeout);
    }
  }

  /** Whether the pool must have every client at once: somebody waits, or it counts their uses. */
  function isMissed(): boolean {
    return (pool.waitingCount ?? 0) > 0 || (pool.options?.maxUses ?? Infinity) !== Infinity;
  }

  return {
    park(held) {
      if (held.takeovers < mostTakeovers && !isMissed() && !isEnded(pool)) {
        held.takeovers += 1;
        if (parked.clean.length + parked.begun.length === 0) afterTurnEnd(giveBackAll);
        parked[held.begun ? 'begun' : 'clean'].push(held);
      } else if (held.begun) {
        void held.rollBack(answerTimeout);
      } else {
        held.giveBack();
      }
    },
    take(kind) {
      if (isEnded(pool)) return undefined;
      if (kind === 'begun' && parked.clean.length > 0) ahead = true;
      for (;;) {
        const held = parked[kind].pop();
        if (held?.ended === undefined) return held;
        held.giveBack();
      }
    },
    beginsAhead: () => ahead,
  };
}
