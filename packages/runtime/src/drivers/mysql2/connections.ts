import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { endGivenUp } from './give-up.js';
import { uncast, type MysqlPool, type MysqlPoolConnection } from './pool.js';
import type { MysqlServer } from './server.js';

/** The connections of one pool. */
export interface MysqlConnections {
  /**
   * A connection of the pool, ours until it is given back or closed. Rejects after `limit`
   * milliseconds where the pool hands out none, and with `database-closed` where it has been ended.
   */
  checkOut(limit: number): Promise<MysqlHeldConnection>;
}

/**
 * A connection that is ours. mysql2 tells whoever holds one nothing when its session ends, so that
 * is listened for on the connection itself. `giveBack` and `close` part with it; what is called
 * afterwards does nothing.
 */
export interface MysqlHeldConnection {
  /** The connection itself, as the pool handed it out. */
  readonly connection: MysqlPoolConnection;
  /** The session, as the server (or a proxy before it) named it when it began. */
  readonly session: string;
  /** What ended the session by itself; undefined while it lives. */
  readonly ended: Error | undefined;
  /** True when the connection was ended instead of given back. */
  readonly closed: boolean;
  /** True when an answer was waited for too long, and the connection closed for it. */
  readonly gaveUp: boolean;
  /** True while a READ COMMITTED transaction is open on it in which nothing has been done yet. */
  begun: boolean;
  /** How often it was passed on since the pool handed it out. */
  readonly takeovers: number;
  /**
   * Waits for what `run` sends, but no longer than so many milliseconds: then it rejects, the
   * connection is closed, and its session, if it still runs or holds something, is ended. The
   * process does not end meanwhile: an author's own lock may wait for what keeps none alive.
   */
  within<Result>(
    milliseconds: number,
    run: (connection: MysqlPoolConnection) => Promise<Result>,
  ): Promise<Result>;
  /** Hears once that the session ended by itself; called at once where it has. One at a time. */
  onEnd(listener: ((error: Error) => void) | undefined): void;
  /** The same connection for its next holder; what is called on this one afterwards does nothing. */
  passOn(): MysqlHeldConnection;
  /** Back to the pool. Only for a connection without transaction and locks. */
  giveBack(): void;
  /** Ends the session, and with it whatever it holds. */
  close(): void;
}

/** The connections of a pool. */
export function mysqlConnections(
  pool: MysqlPool,
  server: MysqlServer,
  clock: Clock,
): MysqlConnections {
  return {
    async checkOut(limit) {
      const connection = await connect(pool, clock, limit);
      if (!isPoolConnection(connection)) throw notAPool(server);
      return hold(uncast(connection), pool, clock);
    },
  };
}

function hold(
  connection: MysqlPoolConnection,
  pool: MysqlPool,
  clock: Clock,
  takeovers = 0,
): MysqlHeldConnection {
  const session = sessionOf(connection);
  let listener: ((error: Error) => void) | undefined;
  let gone = false;
  let closed = false;
  let gaveUp = false;

  session.onEnd = (error) => {
    if (!gone) listener?.(error);
  };

  const held: MysqlHeldConnection = {
    connection,
    session: session.name,
    get ended() {
      return session.ended;
    },
    get closed() {
      return closed;
    },
    get gaveUp() {
      return gaveUp;
    },
    begun: false,
    takeovers,
    within: (milliseconds, run) =>
      new Promise((resolve, reject) => {
        // First, so that no timer is set where it throws.
        const answer = run(connection);
        // mysql2 leaves a query without an answer when its connection is destroyed.
        const timer = clock.after(milliseconds, () => {
          gaveUp = true;
          held.close();
          reject(new Error(`The server did not answer within ${milliseconds} ms.`));
          void endGivenUp(pool, connection.threadId, milliseconds, clock);
        });
        answer.then(
          (result) => {
            timer.cancel();
            resolve(result);
          },
          (error: unknown) => {
            timer.cancel();
            reject(asError(error));
          },
        );
      }),
    onEnd(given) {
      listener = given;
      if (session.ended !== undefined && !gone) listener?.(session.ended);
    },
    passOn() {
      gone = true;
      const next = hold(connection, pool, clock, takeovers + 1);
      next.begun = held.begun;
      return next;
    },
    giveBack() {
      if (gone) return;
      if (session.ended !== undefined) {
        held.close();
        return;
      }
      gone = true;
      connection.release();
    },
    close() {
      if (gone) return;
      gone = true;
      closed = true;
      connection.destroy();
    },
  };
  return held;
}

/** A session as it is told of, the same every time that its connection is handed out. */
interface Session {
  readonly name: string;
  ended: Error | undefined;
  onEnd: ((error: Error) => void) | undefined;
}

const sessions = new WeakMap<object, Session>();

/**
 * The session of a connection. Its end is listened for from its first use to its last, also once it
 * is closed: an error that the driver tells nobody of would end the process.
 */
function sessionOf({ connection, threadId }: MysqlPoolConnection): Session {
  const known = connection === undefined ? undefined : sessions.get(connection);
  if (known !== undefined) return known;
  const session: Session = {
    name: String(threadId ?? `of process ${process.pid}`),
    ended: undefined,
    onEnd: undefined,
  };
  if (connection === undefined) return session;
  sessions.set(connection, session);
  const hear = (error?: unknown): void => {
    if (session.ended !== undefined) return;
    session.ended = error instanceof Error ? error : new Error('The server ended the session.');
    session.onEnd?.(session.ended);
  };
  connection.on('error', hear);
  connection.on('end', hear);
  return session;
}

/** What the pool hands out, waited for no longer than so many milliseconds. */
function connect(pool: MysqlPool, clock: Clock, limit: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let waiting = true;
    const deadline = clock.after(limit, () => {
      waiting = false;
      reject(new Error(`The pool handed out no connection within ${limit} ms.`));
    });
    pool.getConnection().then(
      (connection) => {
        deadline.cancel();
        if (waiting) resolve(connection);
        else connection.release();
      },
      (error: unknown) => {
        deadline.cancel();
        reject(isEnded(error) ? poolEnded(error) : asError(error));
      },
    );
  });
}

/** What was thrown, as an error. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

function isPoolConnection(connection: unknown): connection is MysqlPoolConnection {
  return (
    typeof connection === 'object' &&
    connection !== null &&
    ['execute', 'query', 'release', 'destroy'].every(
      (name) => typeof (connection as Readonly<Record<string, unknown>>)[name] === 'function',
    )
  );
}

function isEnded(error: unknown): boolean {
  return error instanceof Error && error.message === 'Pool is closed.';
}

function poolEnded(cause: unknown): InboxError {
  return new InboxError(
    'database-closed',
    'The pool has been ended. Stop the workers before pool.end(), or give the queue a pool that stays open.',
    { cause },
  );
}

function notAPool({ name }: MysqlServer): InboxError {
  return new InboxError(
    'wrong-database',
    `${name}() was given something whose getConnection() does not hand out connections. Give it a pool of mysql2.`,
  );
}
