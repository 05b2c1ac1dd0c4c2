import type { Claimed } from '../database.js';
import { heldPlace } from '../places.js';
import { rowsOf, type MysqlConnection, type MysqlRow } from './pool.js';
import type { MysqlSession } from './session.js';
import type { MysqlTable } from './table.js';
import { listBinder, queryBinder } from './values.js';

/**
 * The claiming of a table's rows. The candidates are read without locks, and exactly the rows that
 * are answered are locked and stamped, so that several claims at once do not get in each other's
 * way. Where a claim comes back short although more rows are due behind its candidates, because
 * somebody else has those locked, it looks further at once.
 */
export function mysqlClaimer(
  session: MysqlSession,
  table: MysqlTable,
): (limit: number, lease: number) => Promise<Claimed> {
  const { clock } = session;
  const { statements } = table;
  const due = queryBinder(statements.due, clock);
  const claim = queryBinder(statements.claim, clock);
  const stamp = listBinder(statements.stamp, table, clock);
  const held = heldPlace(table);
  // After a claim that found nothing, one statement says whether there is anything to find.
  let idle = false;

  const isDueBehind = async (connection: MysqlConnection, candidates: number): Promise<boolean> =>
    (await rowsOf(connection, due({ candidates }))).length > 0;

  async function claimIn(
    connection: MysqlConnection,
    limit: number,
    lease: number,
  ): Promise<Claimed> {
    for (let candidates = candidatesFor(limit); ; candidates *= 4) {
      const sentAt = clock.monotonic();
      const rows = await rowsOf(connection, claim({ limit, lease, candidates }));
      if (rows.length < limit && (await isDueBehind(connection, candidates))) continue;
      await stampRows(connection, rows);
      return { rows, sentAt };
    }
  }

  async function stampRows(connection: MysqlConnection, rows: readonly MysqlRow[]): Promise<void> {
    // One statement reads the clock once: all rows have the same expiry.
    for (const query of stamp({ held: rows[0]?.[held] ?? null }, rows)) {
      await connection.execute(query);
    }
  }

  return async (limit, lease) => {
    if (idle) {
      const answer = await session.alone((connection) => isDueBehind(connection, 0));
      if (answer.kind === 'failed') throw answer.error;
      if (!answer.result) return { rows: [], sentAt: clock.monotonic() };
    }
    const answer = await session.transact((connection) => claimIn(connection, limit, lease));
    if (answer.kind === 'failed') throw answer.error;
    idle = answer.result.rows.length === 0;
    return answer.result;
  };
}

/** How many rows to look at: enough for a few other claims at the same moment. */
function candidatesFor(limit: number): number {
  return limit + Math.min(3 * limit, 200) + 32;
}
