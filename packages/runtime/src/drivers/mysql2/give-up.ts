import type { Clock } from '../../clock/clock.js';
import { mysqlCommand, mysqlQuery, uncast, type MysqlPool, type MysqlRow } from './pool.js';

/** How long the ending of a session that was given up may take, in milliseconds. */
const limit = 5_000;

/**
 * Ends on the server a session whose connection was closed because no answer came: it may still
 * wait for a lock, and then write for nobody, or hold locks behind a network path that is dead. Best
 * effort: a session that is not found, or that cannot be ended, ends by itself in the end.
 *
 * Never anybody else's: a session of the same number, user, host and database, which has been at the
 * same thing for as long as we have waited. A number alone could be another session's, behind a
 * proxy or after a failover. `waited` is in milliseconds.
 */
export async function endGivenUp(
  pool: MysqlPool,
  threadId: number | null | undefined,
  waited: number,
  clock: Clock,
): Promise<void> {
  if (typeof threadId !== 'number') return;
  try {
    const connection = uncast(await pool.getConnection());
    const timer = clock.after(limit, () => {
      connection.destroy();
    });
    try {
      // What was given up may be the last of several statements, each with its own share of the time.
      const seconds = Math.floor(waited / 2_000);
      const [rows] = await connection.query(mysqlQuery(findSession, [threadId, seconds]));
      const [[found] = []] = rows as readonly MysqlRow[];
      if (found !== undefined && found !== null) {
        await connection.query(mysqlCommand(`KILL ${Number(found)}`));
      }
      connection.release();
    } catch {
      connection.destroy();
    } finally {
      timer.cancel();
    }
  } catch {
    // The pool has been ended, or the server is gone.
  }
}

const findSession = `
SELECT CAST(inbox_given_up.id AS CHAR)
FROM information_schema.processlist AS inbox_given_up
JOIN information_schema.processlist AS inbox_own
  ON inbox_own.id = CONNECTION_ID()
WHERE inbox_given_up.id = ?
  AND inbox_given_up.time >= ?
  AND inbox_given_up.user = inbox_own.user
  AND inbox_given_up.db <=> inbox_own.db
  AND SUBSTRING_INDEX(inbox_given_up.host, ':', 1) = SUBSTRING_INDEX(inbox_own.host, ':', 1)`;
