import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { mysqlConnections, type MysqlHeldConnection } from './connections.js';
import { failureKind, type MysqlFailureKind } from './failure.js';
import { mysqlParking } from './parking.js';
import {
  mysqlCommand,
  mysqlQuery,
  type MysqlCommand,
  type MysqlConnection,
  type MysqlPool,
  type MysqlRow,
} from './pool.js';
import type { MysqlServer } from './server.js';
import type { MysqlWaiters } from './waiters.js';

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
   * way to another transaction. `within` is how long one try may stay unanswered, in milliseconds,
   * where that is less than the `answerTimeout`. Never rejects.
   */
  transact<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
    within?: number,
  ): Promise<MysqlAnswer<Result>>;
  /** The same for one statement, which needs no transaction around it where it commits by itself. */
  alone<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<MysqlAnswer<Result>>;
  /** Runs plain statements on one connection, for a check. Rejects with what they throw. */
  withConnection<Result>(run: (connection: MysqlConnection) => Promise<Result>): Promise<Result>;
  /**
   * A connection to hold a row with: one that was freed in this turn, or the pool's. Rejects where the
   * pool hands out none within the `answerTimeout`.
   */
  hold(): Promise<MysqlHeldConnection>;
  /** The same, with a READ COMMITTED transaction begun, where one was freed like that in this turn. */
  holdBegun(): MysqlHeldConnection | undefined;
  /** Parts with a connection that holds nothing; what holds a row next may take it over. */
  park(held: MysqlHeldConnection): void;
  /**
   * Runs one statement on a connection that is held, committed and under a view of its own whatever
   * the session's default. Not again: whoever holds something has to look first.
   */
  apart<Result>(connection: MysqlConnection, run: () => Promise<Result>): Promise<Result>;
  /** Takes note of whether a statement commits by itself. */
  noteAutocommit(value: string | null | undefined): void;
  readonly clock: Clock;
  /** How long an answer is waited for, in milliseconds. */
  readonly answerTimeout: number;
}

/** How often what gave way is done again: 5 tries within about a third of a second. */
const triesWhereGivenWay = 5;

/** Has the next transaction see what is committed, whatever the session's default. */
export const readCommitted: MysqlCommand = mysqlCommand(
  'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
);
/** Begins a transaction. A server that takes no writes says so here, not when a row is done. */
export const start: MysqlCommand = mysqlCommand('START TRANSACTION READ WRITE');
/** Ends a transaction, and keeps what it has written. */
export const commit: MysqlCommand = mysqlCommand('COMMIT');
/**
 * The same, and begins the next one, READ COMMITTED like the one that it ends: a claim on the same
 * connection is spared two round trips.
 */
export const commitAndBegin: MysqlCommand = mysqlCommand('COMMIT AND CHAIN NO RELEASE');
/** Ends a transaction, if one is open, and what it has written with it. */
export const rollback: MysqlCommand = mysqlCommand('ROLLBACK');
const readAutocommit = mysqlQuery('SELECT CAST(@@autocommit + 0 AS CHAR)');

/** The session of a pool. `answerTimeout` is in milliseconds. */
export function mysqlSession(
  pool: MysqlPool,
  server: MysqlServer,
  options: {
    readonly answerTimeout: number;
    readonly clock: Clock;
    readonly waiters: MysqlWaiters;
  },
): MysqlSession {
  const { answerTimeout, clock, waiters } = options;
  const connections = mysqlConnections(pool, server, clock);
  const parking = mysqlParking(waiters, leave);
  let mode: 'unknown' | 'autocommit' | 'transaction' = 'unknown';

  /** Back to the pool, and no transaction with it. */
  function leave(held: MysqlHeldConnection): void {
    if (!held.begun) {
      held.giveBack();
      return;
    }
    held
      .within(answerTimeout, (connection) => connection.query(rollback))
      .then(
        () => {
          held.giveBack();
        },
        () => {
          held.close();
        },
      );
  }

  function noteAutocommit(value: string | null | undefined): void {
    mode = value === '1' ? 'autocommit' : 'transaction';
  }

  async function commitsByItself(connection: MysqlConnection): Promise<boolean> {
    if (mode === 'unknown') {
      const [rows] = await connection.query(readAutocommit);
      noteAutocommit((rows as readonly MysqlRow[])[0]?.[0]);
    }
    return mode === 'autocommit';
  }

  /** Runs on a connection, and gives it back free of transactions or not at all. */
  async function withConnection<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
    within: number,
  ): Promise<Result> {
    const held = await connections.checkOut(answerTimeout);
    try {
      const result = await held.within(within, run);
      held.giveBack();
      return result;
    } catch (error) {
      await recover(held, error, answerTimeout);
      throw error;
    }
  }

  async function once<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
    explicit: boolean,
    within: number,
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
      }, within);
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
    within: number,
  ): Promise<MysqlAnswer<Result>> {
    for (let tries = 1; ; tries += 1) {
      const answer = await once(run, explicit, within);
      if (answer.kind === 'done' || answer.failure !== 'again' || tries >= triesWhereGivenWay) {
        return answer;
      }
      await pause(clock, tries);
    }
  }

  async function alone<Result>(
    run: (connection: MysqlConnection) => Promise<Result>,
  ): Promise<MysqlAnswer<Result>> {
    if (mode === 'unknown') {
      const answer = await once(commitsByItself, true, answerTimeout);
      if (answer.kind === 'failed') return { ...answer, ambiguous: false, result: undefined };
    }
    return send(run, mode !== 'autocommit', answerTimeout);
  }

  async function apart<Result>(
    connection: MysqlConnection,
    run: () => Promise<Result>,
  ): Promise<Result> {
    if (await commitsByItself(connection)) return run();
    // Ends what an author's own lock may have begun, as the session's next statement would.
    await connection.query(commit);
    await connection.query(readCommitted);
    await connection.query(start);
    const result = await run();
    await connection.query(commit);
    return result;
  }

  return {
    transact: (run, within = answerTimeout) => send(run, true, Math.min(within, answerTimeout)),
    alone,
    withConnection: (run) => withConnection(run, answerTimeout),
    hold: async () => parking.takeIdle() ?? connections.checkOut(answerTimeout),
    holdBegun: () => parking.takeBegun(),
    park: (held) => {
      parking.park(held);
    },
    apart: (connection, run) => (mode === 'autocommit' ? run() : apart(connection, run)),
    noteAutocommit,
    clock,
    answerTimeout,
  };
}

/**
 * Parts with a connection on which something failed: back to the pool where the session lives and
 * has rolled back what it had begun, else closed. `within` is in milliseconds.
 */
export async function recover(
  held: MysqlHeldConnection,
  error: unknown,
  within: number,
): Promise<void> {
  if (await rolledBack(held, error, within)) held.giveBack();
  else held.close();
}

/** Whether a session on which something failed lives, and has rolled back what it had begun. */
export async function rolledBack(
  held: MysqlHeldConnection,
  error: unknown,
  within: number,
): Promise<boolean> {
  const lives = error instanceof InboxError || failureKind(error) !== 'connection';
  if (held.closed || !lives) return false;
  try {
    await held.within(within, (connection) => connection.query(rollback));
    return true;
  } catch {
    return false;
  }
}

/**
 * Does something again, on the same connection, where it only gave way to another transaction;
 * `undo` ends what a failed try had begun. Rejects with what the last try threw.
 */
export async function againWhereGivenWay<Result>(
  clock: Clock,
  work: () => Promise<Result>,
  undo: () => Promise<unknown>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (failureKind(error) !== 'again' || tries >= triesWhereGivenWay) throw error;
      await undo();
      await pause(clock, tries);
    }
  }
}

/** Longer with every try, and never the same for two that gave way to each other. */
function pause(clock: Clock, tries: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after((0.5 + Math.random()) * 10 * 2 ** tries, resolve);
  });
}
