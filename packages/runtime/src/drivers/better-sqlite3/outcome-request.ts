import type { Cell } from '../../statement.js';
import type { HoldSettled } from '../hold-store.js';
import type { SqliteConnection } from './connection.js';
import type { WriteRequest, WriteTransaction } from './request.js';
import { changed, type RowStatement } from './settle-request.js';

/** The settlement of one held row. */
export interface Settling {
  readonly statement: RowStatement;
  readonly cells: readonly Cell[];
  /** What the row's key is held by, if a key of ours holds it: free with the commit. */
  readonly holder?: object;
  /** Why the row is no longer held; undefined while it is. */
  readonly lost: () => unknown;
}

/**
 * Writes the outcome of one held row inside the shared transaction, if it is still held. A statement
 * that throws fails alone: SQLite undoes it, unless a trigger ended the whole transaction.
 */
export function outcomeRequest(
  { statement, cells, holder, lost }: Settling,
  deadline: number,
  tell: (settled: HoldSettled) => void,
): WriteRequest {
  let settled: HoldSettled = lostWith(undefined);

  function write(connection: SqliteConnection): HoldSettled {
    const why = lost();
    if (why !== undefined) return lostWith(why);
    const prepared = connection.statement(statement.text);
    return changed(prepared, statement.bind(cells, null))
      ? { state: 'done', closed: false }
      : { ...lostWith(new Error('No row was changed.')), unwritten: true };
  }

  return {
    kind: 'write',
    deadline,
    isIdle: () => false,
    perform(connection, { freed }: WriteTransaction) {
      if (holder !== undefined) freed.add(holder);
      try {
        settled = write(connection);
      } catch (error) {
        if (!connection.handle.inTransaction) throw error;
        settled = failedWith(error);
      }
    },
    performAlone(connection, transact) {
      try {
        return transact(() => {
          settled = write(connection);
        });
      } catch (error) {
        settled = failedWith(error);
        return true;
      }
    },
    answer() {
      tell(settled);
    },
    fail(error) {
      const why = lost();
      tell(why === undefined ? failedWith(error) : lostWith(why));
    },
  };
}

/** Nothing was changed, and the row is not ours. */
export function lostWith(error: unknown): Extract<HoldSettled, { state: 'lost' }> {
  return { state: 'lost', error, closed: false };
}

/** Nothing was changed, and the row is back as it was. SQLite never leaves that open. */
export function failedWith(error: unknown): HoldSettled {
  return { state: 'failed', error, ambiguous: false, closed: false };
}
