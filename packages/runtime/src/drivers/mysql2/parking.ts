import { afterTurnEnd } from '../../clock/turn.js';
import type { MysqlHeldConnection } from './connections.js';
import type { MysqlWaiters } from './waiters.js';

/**
 * The connections of a pool that were freed in this turn of the event loop. A worker claims its next
 * rows when the turn ends, and takes them over; what is left goes back to the pool right after. So a
 * busy worker does not hand each row's connection to the pool only to ask for it again.
 */
export interface MysqlParking {
  /** Parts with a connection, at once or at the end of the turn. */
  park(held: MysqlHeldConnection): void;
  /** A connection whose session lives, as far as is known, and in which nothing has begun. */
  takeIdle(): MysqlHeldConnection | undefined;
  /** One on which a transaction has begun. */
  takeBegun(): MysqlHeldConnection | undefined;
}

/** How often a connection is taken over until the pool has it again, for whoever else wants it. */
const mostTakeovers = 100;

/** A pool's parking, unless somebody waits for it. `leave` brings a connection back to the pool. */
export function mysqlParking(
  waiters: MysqlWaiters,
  leave: (held: MysqlHeldConnection) => void,
): MysqlParking {
  const idle: MysqlHeldConnection[] = [];
  const begun: MysqlHeldConnection[] = [];

  function leaveAll(): void {
    for (const held of idle.splice(0)) leave(held);
    for (const held of begun.splice(0)) leave(held);
  }

  return {
    park(held) {
      if (held.ended !== undefined) {
        held.close();
        return;
      }
      const next = held.passOn();
      if (waiters.any || next.takeovers > mostTakeovers) {
        leave(next);
        return;
      }
      if (idle.length + begun.length === 0) afterTurnEnd(leaveAll);
      (next.begun ? begun : idle).push(next);
    },
    takeIdle: () => takeFrom(idle),
    takeBegun: () => takeFrom(begun),
  };
}

function takeFrom(parked: MysqlHeldConnection[]): MysqlHeldConnection | undefined {
  for (;;) {
    const held = parked.pop();
    if (held?.ended === undefined) return held;
    held.close();
  }
}
