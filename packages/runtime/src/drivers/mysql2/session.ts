import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { failureKind, type MysqlFailureKind } from './failure.js';
import {
  mysqlQuery,
  type MysqlConnection,
  type MysqlPool,
  type MysqlPoolConnection,
  type MysqlRow,
} from './pool.js';
import type { MysqlServer } from './server.js';

/**
 * What became of the statements of one transaction. `result` of a failed one is what its statements
 * had come to before its COMMIT failed; `ambiguous` where that COMMIT may have taken effect.
 */
export type MysqlAnswer<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly failure: MysqlFailureKind;
      readonly ambiguous: boolean;
      readonly result: Result | undefined;
    };

/** How the statements of one pool are sent. Shared by all queues of an `InboxDatabase`. */
export interface MysqlSession {
  /**
   * Runs statements in a short READ COMMITTED transaction of their own, again where they only gave
   * way to another transaction. Never rejects.
   */
  transact<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<MysqlAnswer<Result>>;
  /** The same for one statement, which needs no transaction around it where it commits by itself. */
  alone<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<MysqlAnswer<Result>>;
  /** Runs plain statements on one connection, for a check. Rejects with what they throw. */
  withConnection<Result>(run: (connection: MysqlConnection) => Promise<Result>): Promise<Result>;
  /** Takes note of whether a statement commits by itself. */
  noteAutocommit(value: string | null | undefined): void;
  readonly clock: Clock;
}

/** How often a transaction that gave way is done again: 5 tries within about a third of a second. */
const triesWhereGivenWay = 5;

const readCommitted = mysqlQuery('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
const start = mysqlQuery('START TRANSACTION');
const commit = mysqlQuery('COMMIT');
const rollback = mysqlQuery('ROLLBACK');
const readAutocommit = mysqlQuery('SELECT CAST(@@autocommit + 0 AS CHAR)');

/** The session of a pool. `answerTimeout` is in milliseconds. */
export function mysqlSession(
  pool: MysqlPool,
  server: MysqlServer,
  options: { readonly answerTimeout: number; readonly clock: Clock },
): MysqlSession {
  const { answerTimeout, clock } = options;
  let mode: 'unknown' | 'autocommit' | 'transaction' = 'unknown';

  function noteAutocommit(value: string | null | undefined): void {
    mode = value === '1' ? 'autocommit' : 'transaction';
  }

  async function checkOut(): Promise<MysqlPoolConnection> {
    let connection: unknown;
    try {
      connection = await pool.getConnection();
    } catch (error) {
      throw isEnded(error) ? poolEnded(error) : error;
    }
    if (!isPoolConnection(connection)) throw notAPool(server);
    return connection;
  }

  /** Runs on a connection, and gives it back free of transactions or not at all. */
  async function withConnection<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await checkOut();
    let usable = false;
    try {
      const result = await withDeadline(connection, run(connection));
      usable = true;
      return result;
    } catch (error) {
      if (failureKind(error) !== 'connection') {
        usable = await withDeadline(connection, connection.query(rollback)).then(
          () => true,
          () => false,
        );
      }
      throw error;
    } finally {
      if (usable) connection.release();
      else connection.destroy();
    }
  }

  /** mysql2 leaves a query without an answer when its connection is destroyed. */
  function withDeadline<Result>(
    connection: MysqlPoolConnection,
    work: Promise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = clock.after(answerTimeout, () => {
        connection.destroy();
        reject(new Error(`The server did not answer within ${answerTimeout} ms.`));
      });
      work.then(resolve, reject).finally(() => {
        timer.cancel();
      });
    });
  }

  async function once<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
    explicit: boolean,
  ): Promise<MysqlAnswer<Result>> {
    const progress: { sent: boolean; result: Result | undefined } = {
      sent: false,
      result: undefined,
    };
    try {
      const result = await withConnection(async (connection) => {
        if (explicit) {
          await connection.query(readCommitted);
          await connection.query(start);
        }
        progress.sent = !explicit;
        const value = await run(connection);
        progress.result = value;
        progress.sent = true;
        if (explicit) await connection.query(commit);
        return value;
      });
      return { kind: 'done', result };
    } catch (error) {
      // An `InboxError` says that no pool will ever hand out a connection again.
      const failure = error instanceof InboxError ? 'statement' : failureKind(error);
      // In a transaction, nothing has happened before COMMIT was sent.
      const ambiguous = failure === 'connection' && progress.sent;
      return { kind: 'failed', error, failure, ambiguous, result: progress.result };
    }
  }

  async function send<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
    explicit: boolean,
  ): Promise<MysqlAnswer<Result>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await once(run, explicit);
      if (answer.kind === 'done' || answer.failure !== 'again' || tries >= triesWhereGivenWay) {
        return answer;
      }
      await pause(clock, (0.5 + Math.random()) * 10 * 2 ** tries);
    }
  }

  async function alone<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<MysqlAnswer<Result>> {
    if (mode === 'unknown') {
      const answer = await once(async (connection) => {
        const [rows] = await connection.query(readAutocommit);
        return (rows as readonly MysqlRow[])[0]?.[0];
      }, true);
      if (answer.kind === 'failed') return { ...answer, ambiguous: false, result: undefined };
      noteAutocommit(answer.result);
    }
    return send(run, mode !== 'autocommit');
  }

  return {
    transact: (run) => send(run, true),
    alone,
    withConnection,
    noteAutocommit,
    clock,
  };
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

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });
}
