import type { Cell } from '../../statement.js';
import type { Hold, HoldSettled, HoldVerb } from '../hold-store.js';
import type { MysqlHeldConnection } from './connections.js';
import type { MysqlSession } from './session.js';

/** How long a release may take, so that a row that nobody works on any more is soon free. */
const releaseLimit = 5_000;

/** How a settlement ended; whether the connection was closed is the connection's to say. */
export type MysqlSettled = WithoutClosed<HoldSettled>;

type WithoutClosed<Settled> = Settled extends unknown ? Omit<Settled, 'closed'> : never;

/**
 * A row held by a connection's session. `settle` writes the outcome, frees the row and parts with
 * the connection while there is time left, in milliseconds; it does not reject.
 */
export function mysqlHold(
  held: MysqlHeldConnection,
  row: { readonly cells: readonly Cell[]; readonly lockKey: string | null },
  { clock, answerTimeout }: MysqlSession,
  settle: (verb: HoldVerb, left: () => number) => Promise<MysqlSettled>,
): Hold {
  return {
    ...row,
    session: held.session,
    onEnd(listener) {
      held.onEnd(listener);
    },
    async settle(verb): Promise<HoldSettled> {
      held.onEnd(undefined);
      if (held.ended !== undefined) {
        held.close();
        return { state: 'lost', error: held.ended, closed: true };
      }
      const limit = verb === 'release' ? Math.min(releaseLimit, answerTimeout) : answerTimeout;
      const end = clock.monotonic() + limit;
      const settled = await settle(verb, () => Math.max(1, Math.ceil(end - clock.monotonic())));
      return { ...settled, closed: held.closed };
    },
  };
}
