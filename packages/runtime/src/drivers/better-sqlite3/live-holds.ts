import type { Cell } from '../../statement.js';
import type { Hold, HoldSettled, HoldVerb } from '../hold-store.js';
import { closedError, type SqliteConnector } from './connection.js';

/** The rows that a store has in work: they hear when the connection is closed under them. */
export interface LiveHolds {
  /** A row in work. */
  add(row: HeldRow): Hold;
}

/** What a store makes a hold of. */
export interface HeldRow {
  readonly cells: readonly Cell[];
  readonly lockKey: string;
  /**
   * Writes the outcome and frees the row. `ended` is the error with which the connection was closed,
   * if it was.
   */
  readonly settle: (verb: HoldVerb, ended: () => unknown) => Promise<HoldSettled>;
  /** Called when the connection is closed while the row is in work. */
  readonly end: () => void;
}

/** The rows in work on a connection; there is no session, so they are said to be the process's. */
export function liveHolds(connector: SqliteConnector): LiveHolds {
  const live = new Set<(error: unknown) => void>();
  connector.onClose(() => {
    for (const end of [...live]) end(closedError());
  });
  return {
    add({ cells, lockKey, settle, end }) {
      let ended: { readonly error: unknown } | undefined;
      let settling = false;
      let listener: ((error: unknown) => void) | undefined;
      const endWith = (error: unknown): void => {
        live.delete(endWith);
        ended = { error };
        end();
        if (!settling) listener?.(error);
      };
      live.add(endWith);
      return {
        cells,
        lockKey,
        session: `process ${process.pid}`,
        onEnd(heard) {
          if (ended === undefined) listener = heard;
          else heard(ended.error);
        },
        async settle(verb) {
          settling = true;
          const settled = await settle(verb, () => ended?.error);
          live.delete(endWith);
          return settled;
        },
      };
    },
  };
}
