import type { Cell } from '../../statement.js';
import type { SqliteConnection } from './connection.js';
import type { KeysInWork } from './keys-in-work.js';
import type { WriteRequest, WriteTransaction } from './request.js';
import type { NamedBinder, RowBinder } from './values.js';

/** The statements of an advisory claim and how their values are bound. */
export interface TakeStatements {
  readonly candidates: { readonly text: string; readonly bind: NamedBinder };
  readonly take: { readonly text: string; readonly bind: RowBinder };
}

/** A taken row: its lock key's text and its cells. */
export interface Taken {
  readonly key: string;
  readonly cells: readonly Cell[];
}

/** A due row as `candidates` answers it: the lock key's text, then the row's key. */
type Candidate = readonly [key: string, ...rowKey: Cell[]];

/**
 * Claims rows inside the shared transaction: reads the first due rows whose key is not in work, takes
 * the first of each key, and reads on past the keys so taken until there are `limit` rows or no more.
 * A row that cannot be taken (a trigger or constraint of the table) is left out, so that those behind
 * it are still worked; only where that leaves nothing is it an error.
 *
 * `resolve` is called right after the commit, before anything else can claim: it must hold the keys.
 */
export function takeRequest(
  statements: TakeStatements,
  limit: number,
  keysOf: (connection: SqliteConnection) => KeysInWork,
  deadline: number,
  tell: {
    readonly resolve: (taken: readonly Taken[]) => void;
    readonly reject: (error: unknown) => void;
  },
): WriteRequest {
  const { candidates, take } = statements;
  let taken: Taken[] = [];
  let problem: { readonly error: unknown } | undefined;

  function candidatesOf(
    connection: SqliteConnection,
    count: number,
    inWork: ReadonlySet<string>,
  ): readonly Candidate[] {
    const values = candidates.bind({
      candidates: BigInt(count),
      inWork: JSON.stringify([...inWork]),
    });
    return connection.statement(candidates.text).all(values) as Candidate[];
  }

  /** The row's cells; none where it is no longer due, or may not be taken. */
  function cellsOf(
    connection: SqliteConnection,
    rowKey: readonly Cell[],
  ): readonly Cell[] | undefined {
    try {
      const rows = connection.statement(take.text).all(take.bind(rowKey, null));
      return (rows as (readonly Cell[])[])[0];
    } catch (error) {
      if (!connection.handle.inTransaction) throw error;
      problem = { error };
      return undefined;
    }
  }

  function takeAll(connection: SqliteConnection, transaction: WriteTransaction): void {
    taken = [];
    problem = undefined;
    const inWork = keysOf(connection).except(transaction.freed);
    // Another claim of the same turn holds its keys only after the commit.
    for (const key of transaction.taken) inWork.add(key);
    const passed = new Set<string>();
    for (;;) {
      const count = limit - taken.length + 2 * passed.size;
      const found = candidatesOf(connection, count, inWork);
      const takenNow = new Set<string>();
      for (const [key, ...rowKey] of found) {
        if (taken.length === limit) return;
        const name = rowKey.join('\0');
        if (takenNow.has(key) || passed.has(name)) continue;
        // A key in work is answered all the same where JSON cannot say it (a NUL, say).
        const cells = inWork.has(key) ? undefined : cellsOf(connection, rowKey);
        if (cells === undefined) {
          passed.add(name);
        } else {
          taken.push({ key, cells });
          takenNow.add(key);
          inWork.add(key);
          transaction.taken.add(key);
        }
      }
      if (found.length < count || taken.length === limit) return;
    }
  }

  return {
    kind: 'claim',
    deadline,
    isIdle(connection) {
      taken = [];
      problem = undefined;
      return candidatesOf(connection, 1, keysOf(connection).except(new Set())).length === 0;
    },
    perform(connection, transaction) {
      try {
        takeAll(connection, transaction);
      } catch (error) {
        if (!connection.handle.inTransaction) throw error;
        problem = { error };
      }
    },
    performAlone(connection, transact) {
      try {
        return transact((transaction) => {
          takeAll(connection, transaction);
        });
      } catch (error) {
        taken = [];
        problem = { error };
        return true;
      }
    },
    answer() {
      if (problem !== undefined && taken.length === 0) tell.reject(problem.error);
      else tell.resolve(taken);
    },
    fail: tell.reject,
  };
}
