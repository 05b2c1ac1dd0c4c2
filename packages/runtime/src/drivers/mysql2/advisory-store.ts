import type { Statement } from '../../statement.js';
import type { Hold, HoldStore, HoldVerb } from '../hold-store.js';
import type { ClaimState, MysqlLockedRow, MysqlLocks } from './advisory-locks.js';
import { checkMysql } from './check.js';
import type { MysqlHeldConnection } from './connections.js';
import { errorNumber, failureKind } from './failure.js';
import { mysqlHold, type MysqlSettled } from './hold.js';
import { mysqlInserter } from './insert.js';
import { foundBy, rowsOf, type MysqlConnection, type MysqlRow } from './pool.js';
import type { MysqlServer } from './server.js';
import { againWhereGivenWay, rollback, rolledBack, type MysqlSession } from './session.js';
import type { MysqlAdvisoryTable, MysqlOwnLockTable } from './table.js';
import { rowBinder, type RowBinder } from './values.js';

/** A row that was taken, and the lock that its session holds. */
interface TakenRow extends MysqlLockedRow {
  readonly cells: MysqlRow;
}

/** What became of a lock that was to be given back. */
type Unlocked =
  | { readonly kind: 'given-back' }
  | { readonly kind: 'not-held' }
  | { readonly kind: 'ended' | 'unanswered' | 'unknown'; readonly error: unknown };

/**
 * A table in advisory form on MySQL or MariaDB: one connection a delivery, whose session holds the
 * lock on the row's key. No transaction is open while a row is in work.
 */
export function mysqlAdvisoryStore(
  session: MysqlSession,
  server: MysqlServer,
  table: MysqlAdvisoryTable | MysqlOwnLockTable,
  locks: MysqlLocks,
): HoldStore {
  const { clock, answerTimeout } = session;
  const { statements } = table;
  const bound = (statement: Statement | undefined): RowBinder | undefined =>
    statement === undefined ? undefined : rowBinder(statement, table, clock);
  const count = bound(statements.count);
  const take = rowBinder(statements.take, table, clock);
  const writes = {
    ack: bound(statements.ack),
    retry: undefined,
    release: bound(statements.release),
  };
  const inserter = mysqlInserter(session, table.queue, statements.insert);

  /** One statement, committed, and done again where it only gave way. The lock is held all along. */
  const patiently = <Result>(
    connection: MysqlConnection,
    run: () => Promise<Result>,
  ): Promise<Result> =>
    againWhereGivenWay(
      clock,
      () => session.apart(connection, run),
      () => connection.query(rollback),
    );

  async function takeRow(
    connection: MysqlConnection,
    { key }: MysqlLockedRow,
  ): Promise<MysqlRow | undefined> {
    if (count !== undefined) {
      const counted = await patiently(connection, () => foundBy(connection, count(key)));
      if (counted !== 1) return undefined;
    }
    const rows = await patiently(connection, () => rowsOf(connection, take(key)));
    return rows[0];
  }

  /** Takes the first row whose lock it gets and that is still due. */
  async function claimIn(
    connection: MysqlConnection,
    state: ClaimState,
  ): Promise<TakenRow | undefined> {
    const next = locks.search(connection, state);
    for (;;) {
      const locked = await next();
      if (locked === undefined) return undefined;
      const cells = await takeRow(connection, locked);
      if (cells !== undefined) return { ...locked, cells };
      // Settled meanwhile, by whoever had the lock before.
      if (!(await locks.unlock(connection, locked.lock))) {
        throw new Error(`The lock of key ${locked.lockKey} was not given back.`);
      }
    }
  }

  async function claimOn(
    held: MysqlHeldConnection,
    state: ClaimState,
  ): Promise<TakenRow | undefined> {
    try {
      return await held.within(answerTimeout, (connection) => claimIn(connection, state));
    } catch (error) {
      // It may hold a lock.
      held.close();
      throw error;
    }
  }

  /** Writes the outcome, where there is one to write. The lock is still held then, if it was. */
  async function write(
    held: MysqlHeldConnection,
    { cells, lock }: TakenRow,
    verb: HoldVerb,
    left: () => number,
  ): Promise<MysqlSettled> {
    const statement = writes[verb];
    if (statement === undefined) return { state: 'done' };
    try {
      const found = await held.within(left(), (connection) =>
        patiently(connection, () => foundBy(connection, statement(cells, { lock }))),
      );
      return found === 1 ? { state: 'done' } : { state: 'lost', error: notOurs() };
    } catch (error) {
      if (await rolledBack(held, error, left())) {
        return { state: 'failed', error, ambiguous: false };
      }
      held.close();
      // The server has said that it ended the session instead of doing it.
      const refused = errorNumber(error) !== undefined;
      if (refused && failureKind(error) === 'connection') return { state: 'lost', error };
      return { state: 'failed', error, ambiguous: !refused };
    }
  }

  /** Gives the lock back and parts with the connection, or closes it and says why. */
  async function unlock(
    held: MysqlHeldConnection,
    { lock }: TakenRow,
    left: () => number,
  ): Promise<Unlocked> {
    try {
      if (await held.within(left(), (connection) => locks.unlock(connection, lock))) {
        session.park(held);
        return { kind: 'given-back' };
      }
      held.close();
      return { kind: 'not-held' };
    } catch (error) {
      const kind = held.gaveUp ? 'unanswered' : held.ended === undefined ? 'unknown' : 'ended';
      held.close();
      return { kind, error };
    }
  }

  async function settle(
    held: MysqlHeldConnection,
    row: TakenRow,
    verb: HoldVerb,
    left: () => number,
  ): Promise<MysqlSettled> {
    const written = await write(held, row, verb, left);
    if (held.closed) return written;
    const unlocked = await unlock(held, row, left);
    if (unlocked.kind === 'given-back') {
      // The lock was held to the last, so that it was the row that could not be written.
      return written.state === 'lost' ? { ...written, unwritten: true } : written;
    }
    if (writes[verb] === undefined) return settledByLock(verb, unlocked);
    if (!locks.own) return written;
    if (unlocked.kind !== 'not-held') return { ...written, unlockProblem: unlocked.error };
    // What was not written was no longer this session's; what was, was written under the lock.
    return written.state === 'done' ? { ...written, unlockProblem: notHeld() } : written;
  }

  /** How a settlement ended that writes nothing, so that all depends on the lock. */
  function settledByLock(
    verb: HoldVerb,
    unlocked: Exclude<Unlocked, { kind: 'given-back' }>,
  ): MysqlSettled {
    if (unlocked.kind === 'not-held') return { state: 'lost', error: notOurs() };
    const { kind, error } = unlocked;
    if (kind === 'ended') return { state: 'lost', error };
    if (locks.own) return { state: 'done', unlockProblem: error };
    if (kind === 'unknown') return { state: 'lost', error };
    // Closing the connection frees what the session has locked.
    return verb === 'release' ? { state: 'done' } : { state: 'failed', error, ambiguous: false };
  }

  return {
    rowsPerClaim: 1,
    check: () => checkMysql(session, server, table, 'advisory'),
    async claim(limit, state): Promise<readonly Hold[]> {
      if (limit < 1) return [];
      const held = await session.hold();
      const row = await claimOn(held, state);
      if (row === undefined) {
        session.park(held);
        return [];
      }
      return [
        mysqlHold(held, { cells: row.cells, lockKey: row.lockKey }, session, (verb, left) =>
          settle(held, row, verb, left),
        ),
      ];
    },
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}

function notOurs(): Error {
  return new Error(
    'The session no longer holds the lock, or the row was delivered or settled elsewhere.',
  );
}

function notHeld(): Error {
  return new Error('It answered that the session did not hold it.');
}
