import type { Cell } from '../../statement.js';
import type { Candidate } from './candidate-request.js';
import type { SqliteConnection } from './connection.js';
import type { WriteRequest } from './request.js';
import type { RowStatement } from './settle-request.js';

/**
 * What became of a row whose key was locked for it: taken; `stale` where it is no longer due;
 * `refused` where the database does not let it be taken.
 */
export type LockedTaken =
  | { readonly state: 'taken'; readonly cells: readonly Cell[] }
  | { readonly state: 'stale' }
  | { readonly state: 'refused'; readonly error: unknown };

/** Takes rows whose keys are locked, each for itself; answers one state a row, in their order. */
export function takeLockedRequest(
  take: RowStatement,
  rows: readonly Candidate[],
  deadline: number,
  tell: {
    readonly resolve: (taken: readonly LockedTaken[]) => void;
    readonly reject: (error: unknown) => void;
  },
): WriteRequest {
  let taken: LockedTaken[] = [];
  // True once some were taken in transactions of their own, which a failure must not hide.
  let begun = false;

  function takeOne(connection: SqliteConnection, { rowKey }: Candidate): LockedTaken {
    const answer = connection.statement(take.text).all(take.bind(rowKey, null));
    const [cells] = answer as (readonly Cell[])[];
    return cells === undefined ? { state: 'stale' } : { state: 'taken', cells };
  }

  return {
    kind: 'claim',
    deadline,
    isIdle: () => false,
    perform(connection) {
      taken = rows.map((row) => {
        try {
          return takeOne(connection, row);
        } catch (error) {
          if (!connection.handle.inTransaction) throw error;
          return { state: 'refused', error };
        }
      });
    },
    performAlone(connection, transact) {
      if (!begun) taken = [];
      begun = true;
      for (const row of rows.slice(taken.length)) {
        let answer: LockedTaken = { state: 'stale' };
        try {
          const ran = transact(() => {
            answer = takeOne(connection, row);
          });
          if (!ran) return false;
        } catch (error) {
          answer = { state: 'refused', error };
        }
        taken.push(answer);
      }
      return true;
    },
    answer() {
      tell.resolve(taken);
    },
    fail(error) {
      if (!begun) {
        tell.reject(error);
        return;
      }
      const rest = rows.slice(taken.length).map(() => ({ state: 'refused', error }) as const);
      tell.resolve([...taken, ...rest]);
    },
  };
}
