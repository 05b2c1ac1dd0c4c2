import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { asError, heldClient, ignore, type PgHeldBy, type PgHeldClient } from './held-client.js';
import { pgParking, type PgParking } from './parking.js';
import {
  isEnded,
  plainQuery,
  type PgClient,
  type PgPool,
  type PgPoolClient,
  type PgQuery,
} from './pool.js';
import { pgWatchdog } from './watchdog.js';

/** The clients of one pool. */
export interface PgClients {
  /**
   * A client of the pool, ours until it is given back or closed. Rejects after `limit` milliseconds
   * where the pool hands out none, and with `database-closed` where the pool has been ended.
   */
  checkOut(limit: number): Promise<PgHeldClient>;
  /** Those that were freed in this turn of the event loop. */
  readonly parking: PgParking;
}

/** How long the cancelling of a statement that was given up may take. */
const cancelTimeout = 5_000;

/** The clients of a pool. */
export function pgClients(
  pool: PgPool,
  { clock, answerTimeout }: { readonly clock: Clock; readonly answerTimeout: number },
): PgClients {
  const parking = pgParking(pool, answerTimeout);
  const by: PgHeldBy = {
    watchdog: pgWatchdog(clock),
    park: parking.park,
    cancel: (pid, text) => void cancel(pid, text),
  };

  function checkOutClient(limit: number): Promise<PgPoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void => {
        reject(isEnded(pool) ? poolEnded(error) : error);
      };
      let waiting = true;
      const deadline = clock.after(limit, () => {
        waiting = false;
        refuse(new Error(`The pool handed out no connection within ${limit} ms.`));
      });
      connect(pool).then(
        (client) => {
          deadline.cancel();
          if (waiting) {
            resolve(client);
          } else {
            client.release();
            client.removeListener('error', ignore);
          }
        },
        (error: unknown) => {
          deadline.cancel();
          refuse(asError(error));
        },
      );
    });
  }

  /** Ends a statement for whose answer nobody waits; best effort, and never anybody else's. */
  async function cancel(pid: number, text: string): Promise<void> {
    try {
      const held = heldClient(await checkOutClient(cancelTimeout), {
        ...by,
        cancel: () => undefined,
      });
      try {
        await held.within(cancelTimeout, () => held.query(cancelQuery(pid, text)));
        held.giveBack();
      } catch (error) {
        held.close(asError(error));
      }
    } catch {
      // It ends by itself, when it gets what it waits for.
    }
  }

  return {
    checkOut: async (limit) => heldClient(await checkOutClient(limit), by),
    parking,
  };
}

/**
 * The cancelling of exactly one statement: the process must still execute this text. A server shows
 * only the beginning of a long one.
 */
function cancelQuery(pid: number, text: string): PgQuery {
  return {
    ...plainQuery(`
SELECT pg_cancel_backend(pid)
FROM pg_stat_activity
WHERE pid = $1
  AND datname = current_database()
  AND usename = current_user
  AND state = 'active'
  AND query <> ''
  AND starts_with($2, query)`),
    values: [String(pid), text],
  };
}

/** Takes a client out of the pool, with a listener for the errors of its session. */
function connect(pool: PgPool): Promise<PgPoolClient> {
  return new Promise((resolve, reject) => {
    const take = (client: unknown): void => {
      if (isPoolClient(client)) {
        client.on('error', ignore);
        resolve(client);
      } else reject(notAPool());
    };
    const answer = pool.connect((error, client) => {
      if (error instanceof Error) reject(error);
      else take(client);
    });
    if (answer instanceof Promise) answer.then(take, reject);
  });
}

function isPoolClient(client: unknown): client is PgPoolClient {
  return (
    typeof client === 'object' &&
    client !== null &&
    'query' in client &&
    typeof client.query === 'function' &&
    'release' in client &&
    typeof client.release === 'function'
  );
}

function poolEnded(cause: unknown): InboxError {
  return new InboxError(
    'database-closed',
    'The pool has been ended. Stop the workers before pool.end(), or give the queue a pool that stays open.',
    { cause },
  );
}

function notAPool(): InboxError {
  return new InboxError(
    'wrong-database',
    'postgres() was given something whose connect() does not hand out clients. Give it a pg.Pool, not a pg.Client.',
  );
}

/** A client for some statements in a row, each with so many milliseconds to be answered. */
export function watched(held: PgHeldClient, milliseconds: number): PgClient {
  return { query: (query) => held.within(milliseconds, () => held.query(query)) };
}
