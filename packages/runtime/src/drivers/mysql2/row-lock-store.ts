import type { HoldStore, HoldVerb } from '../hold-store.js';
import { checkMysql } from './check.js';
import type { MysqlHeldConnection } from './connections.js';
import { errorNumber, failureKind } from './failure.js';
import { mysqlHold, type MysqlSettled } from './hold.js';
import { mysqlInserter } from './insert.js';
import { foundBy, rowsOf, type MysqlConnection, type MysqlRow } from './pool.js';
import type { MysqlServer } from './server.js';
import {
  againWhereGivenWay,
  commitAndBegin,
  readCommitted,
  recover,
  rollback,
  start,
  type MysqlSession,
} from './session.js';
import type { MysqlRowLockTable } from './table.js';
import { queryBinder, rowBinder } from './values.js';

/** How many rows a claim looks at beyond those of this process: other processes hold some, too. */
const margin = 16;

/**
 * A table in row-lock form on MySQL or MariaDB: one connection and one transaction a delivery,
 * open from the claim to the settlement.
 */
export function mysqlRowLockStore(
  session: MysqlSession,
  server: MysqlServer,
  table: MysqlRowLockTable,
): HoldStore {
  const { clock, answerTimeout } = session;
  const { statements } = table;
  const due = queryBinder(statements.due, clock);
  const claim = queryBinder(statements.claim, clock);
  const ack = rowBinder(statements.ack, table, clock);
  const retry =
    statements.retry === undefined ? undefined : rowBinder(statements.retry, table, clock);
  const inserter = mysqlInserter(session, table.queue, statements.insert);

  const isDueBehind = async (connection: MysqlConnection, candidates: number): Promise<boolean> =>
    (await rowsOf(connection, due({ candidates }))).length > 0;

  /** Locks the first due row that is free, in a transaction that stays open; none leaves none. */
  async function claimIn(
    held: MysqlHeldConnection,
    connection: MysqlConnection,
    busy: number,
  ): Promise<MysqlRow | undefined> {
    if (!held.begun) {
      await connection.query(readCommitted);
      await connection.query(start);
    }
    held.begun = false;
    for (let candidates = busy + margin; ; candidates *= 2) {
      const [row] = await rowsOf(connection, claim({ limit: 1, candidates }));
      if (row !== undefined) return row;
      // Others may have all candidates locked, and rows behind them be free.
      if (!(await isDueBehind(connection, candidates))) break;
    }
    await connection.query(rollback);
    return undefined;
  }

  async function claimOn(held: MysqlHeldConnection, busy: number): Promise<MysqlRow | undefined> {
    try {
      return await held.within(answerTimeout, (connection) =>
        againWhereGivenWay(
          clock,
          () => claimIn(held, connection, busy),
          () => connection.query(rollback),
        ),
      );
    } catch (error) {
      await recover(held, error, answerTimeout);
      throw error;
    }
  }

  /** Writes and commits, or rolls back. Where neither was answered, the connection is closed. */
  async function settle(
    held: MysqlHeldConnection,
    row: MysqlRow,
    verb: HoldVerb,
    left: () => number,
  ): Promise<MysqlSettled> {
    const progress = { committing: false };
    const write = verb === 'ack' ? ack : verb === 'retry' ? retry : undefined;
    try {
      const settled = await held.within(left(), async (connection): Promise<MysqlSettled> => {
        if (write === undefined) {
          await connection.query(rollback);
          return { state: 'done' };
        }
        if ((await foundBy(connection, write(row))) !== 1) {
          await connection.query(rollback);
          return { state: 'lost', error: new Error('No row was changed.'), unwritten: true };
        }
        if (held.ended !== undefined) throw held.ended;
        progress.committing = true;
        await connection.query(commitAndBegin);
        held.begun = true;
        return { state: 'done' };
      });
      session.park(held);
      return settled;
    } catch (error) {
      const settled = failed(held, error, write !== undefined, progress.committing);
      await recover(held, error, left());
      return settled;
    }
  }

  return {
    rowsPerClaim: 1,
    chains: true,
    check: () => checkMysql(session, server, table, 'row-lock'),
    async claim(limit, { busy, idle }) {
      if (limit < 1) return [];
      if (idle) {
        const isDue = await session.withConnection((connection) =>
          session.apart(connection, () => isDueBehind(connection, 0)),
        );
        if (!isDue) return [];
      }
      const held = session.holdBegun() ?? (await session.hold());
      const row = await claimOn(held, busy);
      if (row === undefined) {
        session.park(held);
        return [];
      }
      return [
        mysqlHold(held, { cells: row, lockKey: null }, session, (verb, left) =>
          settle(held, row, verb, left),
        ),
      ];
    },
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}

/** What a settlement that threw has come to. */
function failed(
  { gaveUp }: MysqlHeldConnection,
  error: unknown,
  writes: boolean,
  committing: boolean,
): MysqlSettled {
  const kind = failureKind(error);
  // A deadlock has rolled back the transaction that the row was locked in.
  if (errorNumber(error) === 1213) return { state: 'lost', error };
  if (committing) {
    // Refused as a whole, or nobody knows.
    return { state: 'failed', error, ambiguous: kind === 'connection' || kind === 'transient' };
  }
  if (kind !== 'connection') return { state: 'failed', error, ambiguous: false };
  if (!gaveUp) return { state: 'lost', error };
  // Closing the connection rolls back, too.
  return writes ? { state: 'failed', error, ambiguous: false } : { state: 'done' };
}
