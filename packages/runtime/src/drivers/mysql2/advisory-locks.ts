import type { Cell } from '../../statement.js';
import { rowsOf, type MysqlConnection } from './pool.js';
import type { MysqlSession } from './session.js';
import type { MysqlAdvisoryTable } from './table.js';
import { queryBinder } from './values.js';

/** A row that was due, and whose lock this session has taken. */
export interface MysqlLockedRow {
  readonly lock: Cell;
  /** The key's text as the database rendered it. */
  readonly lockKey: string;
  /** The row's key. */
  readonly key: readonly Cell[];
}

/** What a claim knows of this process: rows in work or being claimed, and whether the last found none. */
export interface ClaimState {
  readonly busy: number;
  readonly idle: boolean;
}

/** How the rows of an advisory table are locked: by `GET_LOCK`, or as the table's author says. */
export interface MysqlLocks {
  /** Whether they are the author's own: then is told what became of an `unlock` that failed. */
  readonly own: boolean;
  /**
   * Looks for rows that are due, for one claim: each call of the answer locks another row, until none
   * is found. The one before is unlocked again by then. It rejects where a lock may be held that
   * nobody knows of.
   */
  search(connection: MysqlConnection, state: ClaimState): () => Promise<MysqlLockedRow | undefined>;
  /** Gives a lock back; true where this session held it. */
  unlock(connection: MysqlConnection, lock: Cell): Promise<boolean>;
}

/** How many rows a claim looks at beyond those of this process: other processes claim, too. */
export const margin = 16;

/** How often a claim asks again at once where others were faster, with every candidate. */
const mostRounds = 8;

/** The locks of a table whose key is locked by `GET_LOCK`, which the statement that looks takes. */
export function mysqlNamedLocks(session: MysqlSession, table: MysqlAdvisoryTable): MysqlLocks {
  const { clock } = session;
  const { statements } = table;
  const due = queryBinder(statements.due, clock);
  const claim = queryBinder(statements.claim, clock);
  const unlock = queryBinder(statements.unlock, clock);
  return {
    own: false,
    search(connection, { idle }) {
      // Rows in work are not among them: their locks are not free.
      let candidates = margin;
      let empty = 0;
      return async () => {
        for (;;) {
          const [row] = await session.apart(connection, () =>
            rowsOf(connection, claim({ candidates })),
          );
          if (row !== undefined) {
            const [lock = null, lockKey, ...key] = row;
            return { lock, lockKey: lockKey ?? '', key };
          }
          empty += 1;
          if (idle || empty > mostRounds) return undefined;
          // Others may have locked every candidate between the look and the lock.
          const full = await session.apart(connection, () =>
            rowsOf(connection, due({ candidates })),
          );
          if (full.length === 0) return undefined;
          candidates *= 2;
        }
      };
    },
    async unlock(connection, lock) {
      const [[answer] = []] = await rowsOf(connection, unlock({ lock }));
      return String(answer) === '1';
    },
  };
}
