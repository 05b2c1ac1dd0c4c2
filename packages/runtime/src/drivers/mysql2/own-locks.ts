import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { Cell, Statement } from '../../statement.js';
import type { MysqlLockConnection, OwnLock } from '../own-lock.js';
import { margin, type MysqlLocks } from './advisory-locks.js';
import { givenConnection, rowsOf, type MysqlConnection, type MysqlRow } from './pool.js';
import type { MysqlSession } from './session.js';
import type { MysqlOwnLockTable } from './table.js';
import { queryBinder } from './values.js';

/** How often a claim looks further where every candidate is locked. */
const mostRounds = 4;

/** One half of a lock of the author's own: true where it was done. */
type Half = (connection: MysqlConnection, key: Cell) => Promise<boolean>;

/**
 * The locks of a table with a lock of its author's own: two functions, or SQL of the table's; none
 * where there is neither. They reject with `own-lock-failed` where the author's part throws.
 */
export function mysqlOwnLocks(
  session: MysqlSession,
  table: MysqlOwnLockTable,
  functions: OwnLock<'mysql' | 'mariadb'> | undefined,
): MysqlLocks | undefined {
  const { statements } = table;
  const candidatesOf = queryBinder(statements.candidates, session.clock);
  const halves = ofFunctions(functions) ?? ofStatements(session, statements);
  if (halves === undefined) return undefined;
  const lock = told(table, 'lock', halves.lock);
  const unlock = told(table, 'unlock', halves.unlock);
  return {
    own: true,
    search(connection, { busy }) {
      const refused = new Set<string>();
      let candidates = busy + margin;
      let round = 0;
      let full = true;
      let rows: readonly MysqlRow[] = [];
      let place = 0;
      return async () => {
        for (;;) {
          for (const [lockKey, ...key] of rows.slice(place)) {
            place += 1;
            if (lockKey === null || lockKey === undefined || refused.has(lockKey)) continue;
            if (await lock(connection, lockKey)) return { lock: lockKey, lockKey, key };
            refused.add(lockKey);
          }
          if (!full || round >= mostRounds) return undefined;
          rows = await session.apart(connection, () =>
            rowsOf(connection, candidatesOf({ candidates })),
          );
          place = 0;
          round += 1;
          full = rows.length >= candidates;
          candidates *= 2;
        }
      };
    },
    unlock,
  };
}

interface Halves {
  readonly lock: Half;
  readonly unlock: Half;
}

function ofFunctions(functions: OwnLock<'mysql' | 'mariadb'> | undefined): Halves | undefined {
  if (functions === undefined) return undefined;
  // The pool's own connection, which takes a text and its values, too.
  const seen = (connection: MysqlConnection): MysqlLockConnection =>
    givenConnection(connection) as unknown as MysqlLockConnection;
  return {
    lock: async (connection, key) => functions.lock(seen(connection), String(key)),
    unlock: async (connection, key) => functions.unlock(seen(connection), String(key)),
  };
}

function ofStatements(
  session: MysqlSession,
  { lock, unlock }: MysqlOwnLockTable['statements'],
): Halves | undefined {
  if (lock === undefined || unlock === undefined) return undefined;
  const half = (statement: Statement): Half => {
    const bind = queryBinder(statement, session.clock);
    return async (connection, key) => {
      const [[answer] = []] = await session.apart(connection, () =>
        rowsOf(connection, bind({ lock: key })),
      );
      return isTrue(answer);
    };
  };
  return { lock: half(lock), unlock: half(unlock) };
}

/** The same, but what it throws is said to be the author's. */
function told({ queue, table }: MysqlOwnLockTable, which: 'lock' | 'unlock', half: Half): Half {
  return async (connection, key) => {
    try {
      return await half(connection, key);
    } catch (cause) {
      throw new InboxError(
        'own-lock-failed',
        `Queue ${queue}: the ${which} of table ${table} failed: ${messageOf(cause)}. Its connection was closed, which frees what the session had locked; the next claim tries again. A lock answers true or false, without waiting for another holder.`,
        { queue, cause },
      );
    }
  };
}

/** Whether the servers take a cell for true: a number other than 0, or the word. */
function isTrue(cell: string | null | undefined): boolean {
  return cell === 'true' || (/^-?\d+$/.test(cell ?? '') && Number(cell) !== 0);
}
