import type { Cell } from '../../statement.js';
import type { SqliteConnection } from './connection.js';
import { isBusy } from './failure.js';
import type { WriteRequest } from './request.js';
import type { NamedBinder } from './values.js';

/** A due row: its lock key's text, and its key. */
export interface Candidate {
  readonly key: string;
  readonly rowKey: readonly Cell[];
}

/** Reads the first due rows, in a transaction only where others write in the same turn. */
export function candidateRequest(
  statement: { readonly text: string; readonly bind: NamedBinder },
  count: number,
  deadline: number,
  tell: {
    readonly resolve: (found: readonly Candidate[]) => void;
    readonly reject: (error: unknown) => void;
  },
): WriteRequest {
  let outcome: { readonly found: readonly Candidate[] } | { readonly error: unknown } = {
    found: [],
  };

  function read(connection: SqliteConnection): void {
    try {
      const values = statement.bind({ candidates: BigInt(count) });
      const rows = connection.statement(statement.text).all(values) as [string, ...Cell[]][];
      outcome = { found: rows.map(([key, ...rowKey]) => ({ key, rowKey })) };
    } catch (error) {
      outcome = { error };
    }
  }

  return {
    kind: 'claim',
    deadline,
    isIdle(connection) {
      read(connection);
      if ('error' in outcome) throw outcome.error;
      return true;
    },
    perform: read,
    performAlone(connection) {
      read(connection);
      return !('error' in outcome && isBusy(outcome.error));
    },
    answer() {
      if ('error' in outcome) tell.reject(outcome.error);
      else tell.resolve(outcome.found);
    },
    fail: tell.reject,
  };
}
