import type { Cell, Statement } from '../../statement.js';
import type { Hold, HoldStore } from '../hold-store.js';
import type { DriverTable } from '../tables.js';
import { checkPostgres } from './check.js';
import { asError, type PgHeldClient } from './held-client.js';
import { pgHold } from './hold.js';
import { holdStatement, holdStatementIf } from './hold-statement.js';
import { pgInserter } from './insert.js';
import { advisoryLimits } from './limits.js';
import { settleLocked } from './lock-settle.js';
import type { PgRow } from './pool.js';
import { refusePooler } from './pooler.js';
import { pause, type PgSession } from './session.js';

/** How many due rows a claim looks at beside those that this process has in work or is claiming. */
const margin = 8;

/** How often a claim asks again where others were faster with every row that it looked at. */
const mostTries = 10;

/** A key that a session has locked, and the row that was taken under it. */
export interface PgLocked {
  /** What the lock is on: for our own its number, for an author's the key's text. */
  readonly lock: Cell;
  readonly lockKey: string;
  readonly cells: PgRow;
}

/** How the keys of one table are locked, by a client's session. */
export interface PgLocking {
  /** Whether the lock is the author's own. */
  readonly own: boolean;
  /**
   * Locks a free key and takes a row of it, looking at so many due rows, in a `transaction` where a
   * single statement would not be READ COMMITTED. Nothing is locked when it answers `nothing`, or
   * `outrun` where others were faster with all that it looked at. Where it rejects, something may be.
   */
  take(
    held: PgHeldClient,
    candidates: number,
    transaction: boolean,
  ): Promise<PgLocked | 'nothing' | 'outrun'>;
  /** Gives a key back; answers whether the session had it locked. */
  unlock(held: PgHeldClient, lock: Cell): Promise<boolean>;
}

/** What a table's statements must have to settle a row under a lock, whoever's. */
export interface PgLockedStatements {
  readonly ack: Statement;
  readonly release?: Statement;
}

/**
 * A table in advisory form on Postgres: each row in work has a client of its own, whose session
 * keeps its key locked until the row is settled. `insert` is the statement that adds rows.
 */
export function pgLockStore(
  session: PgSession,
  table: DriverTable,
  statements: PgLockedStatements,
  insert: Statement,
  locking: PgLocking,
): HoldStore {
  const writes = {
    ack: holdStatement(session, statements.ack, table),
    release: holdStatementIf(session, statements.release, table),
    retry: undefined,
  };
  const inserter = pgInserter(session, table.queue, insert);

  function holdOf(held: PgHeldClient, { lock, lockKey, cells }: PgLocked): Hold {
    return pgHold(held, { cells, lockKey }, session.answerTimeout, (verb, milliseconds) => {
      const write = writes[verb];
      return settleLocked(
        session,
        held,
        write && (() => write({ cells, lock })),
        { own: locking.own, unlock: () => locking.unlock(held, lock) },
        milliseconds,
      );
    });
  }

  async function tryToTake(candidates: number): Promise<Hold | 'nothing' | 'outrun'> {
    // Known before a client is held, because it may take another one to find out.
    const transaction = await session.needsTransaction();
    const held = session.parking.take('clean') ?? (await session.checkOut());
    try {
      const taken = await locking.take(held, candidates, transaction);
      if (typeof taken !== 'string') return holdOf(held, taken);
      held.giveBack();
      return taken;
    } catch (error) {
      // What the session may have locked outlives its transaction, and is free when it has ended.
      held.close(asError(error));
      throw error;
    }
  }

  return {
    rowsPerClaim: 1,
    check: () =>
      checkPostgres(session, table, statements, advisoryLimits, (client, pid) =>
        refusePooler(session, table, client, pid),
      ),
    async claim(_limit, { busy }) {
      for (let tries = 1; ; tries += 1) {
        try {
          const taken = await tryToTake(busy + margin);
          if (typeof taken !== 'string') return [taken];
          if (taken === 'nothing' || tries === mostTries) return [];
          // At once, but not in step with those that were faster.
          if (tries > 1) await pause(session.clock, Math.random() * tries);
        } catch (error) {
          if (!(await session.mayTryAfter(error, tries))) throw error;
        }
      }
    },
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}
