import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { failureKind, sqlState, type PgFailureKind } from './failure.js';
import {
  plainQuery,
  textOnly,
  type PgPool,
  type PgPoolClient,
  type PgQuery,
  type PgRow,
} from './pool.js';

/** One SQL text and the name under which a connection keeps it prepared. */
export interface PgText {
  readonly text: string;
  readonly name: string;
}

/**
 * What became of a statement and its transaction. `rows` of a failed one are what the statement had
 * answered before its COMMIT failed.
 */
export type PgAnswer =
  | { readonly kind: 'rows'; readonly rows: readonly PgRow[]; readonly sentAt: number }
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly failure: PgFailureKind;
      readonly ambiguous: boolean;
      readonly rows: readonly PgRow[] | undefined;
    };

/** How the statements of one pool are sent. Shared by all queues of an `InboxDatabase`. */
export interface PgSession {
  /**
   * Sends one statement in a short READ COMMITTED transaction of its own, again where it only gave
   * way to another transaction. Never rejects. With `knowing`, the answer is read before the
   * COMMIT is sent, so that a COMMIT without answer leaves two known possibilities.
   */
  send(text: PgText, values: (string | null)[], how?: 'knowing'): Promise<PgAnswer>;
  /** Runs several statements on one connection: the transaction's, or plain ones for a check. */
  withClient<Result>(run: (client: PgPoolClient) => Promise<Result>): Promise<Result>;
  /** Takes note of the isolation level that transactions have by default. */
  noteIsolation(level: string | null | undefined): void;
  readonly clock: Clock;
}

/** How often a statement that gave way is sent again: 5 tries within about a third of a second. */
const triesWhereGivenWay = 5;

const begin = plainQuery('BEGIN ISOLATION LEVEL READ COMMITTED');
const commit = plainQuery('COMMIT');
const rollback = plainQuery('ROLLBACK');
const readIsolation = plainQuery("SELECT current_setting('default_transaction_isolation')");

/** The session of a pool. `answerTimeout` is in milliseconds. */
export function pgSession(
  pool: PgPool,
  options: { readonly prepare: boolean; readonly answerTimeout: number; readonly clock: Clock },
): PgSession {
  const { answerTimeout, clock } = options;
  let prepare = options.prepare;
  // A single statement is READ COMMITTED by itself, where the server's default is.
  let mode: 'unknown' | 'autocommit' | 'transaction' = 'unknown';

  function queryOf(text: PgText, values: (string | null)[]): PgQuery {
    const query = unnamed(text, values);
    return prepare ? { ...query, name: text.name } : query;
  }

  function noteIsolation(level: string | null | undefined): void {
    const readCommitted = level === 'read committed' || level === 'read uncommitted';
    mode = readCommitted ? 'autocommit' : 'transaction';
  }

  /** A pool that is ended meanwhile never answers, and one whose clients are all kept not soon. */
  function checkOut(): Promise<PgPoolClient> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void => {
        reject(isEnded(pool) ? poolEnded(error) : error);
      };
      let waiting = true;
      const deadline = clock.after(answerTimeout, () => {
        waiting = false;
        refuse(new Error(`The pool handed out no connection within ${answerTimeout} ms.`));
      });
      connect(pool).then(
        (client) => {
          deadline.cancel();
          if (waiting) resolve(client);
          else giveBack(client, undefined);
        },
        (error: unknown) => {
          deadline.cancel();
          refuse(asError(error));
        },
      );
    });
  }

  function giveBack(client: PgPoolClient, error: Error | undefined): void {
    client.release(error);
    client.removeListener('error', ignore);
  }

  async function withClient<Result>(
    run: (client: PgPoolClient) => Promise<Result>,
  ): Promise<Result> {
    const client = await checkOut();
    // Until it is shown to be free of a transaction, it does not go back to the pool.
    let problem: Error | undefined = new Error('The connection was left in an unknown state.');
    try {
      const result = await run(client);
      problem = undefined;
      return result;
    } catch (error) {
      if (error instanceof InboxError || failureKind(error) !== 'connection') {
        problem = await client.query(rollback).then(() => undefined, asError);
      }
      throw error;
    } finally {
      giveBack(client, problem);
    }
  }

  async function sendOnce(query: PgQuery, explicit: boolean): Promise<PgAnswer> {
    let client: PgPoolClient;
    try {
      client = await checkOut();
    } catch (error) {
      // Nothing was sent. An `InboxError` says that no pool will ever hand out a client again.
      const failure = error instanceof InboxError ? 'statement' : 'connection';
      return { kind: 'failed', error, failure, ambiguous: false, rows: undefined };
    }
    let problem: Error | undefined;
    const watchdog = { fired: false };
    const timer = clock.after(answerTimeout, () => {
      watchdog.fired = true;
      giveBack(client, new Error(`The server did not answer within ${answerTimeout} ms.`));
    });
    let sentAt: number | undefined;
    let rows: readonly PgRow[] | undefined;
    try {
      if (explicit) await client.query(begin);
      sentAt = clock.monotonic();
      rows = (await client.query(query)).rows as readonly PgRow[];
      if (explicit) await client.query(commit);
      return { kind: 'rows', rows, sentAt };
    } catch (error) {
      const failure = failureKind(error);
      if (failure === 'connection') {
        problem = asError(error);
      } else if (explicit) {
        problem = await client.query(rollback).then(() => undefined, asError);
      }
      // In a transaction of several steps, nothing has happened before COMMIT was sent.
      const begun = explicit ? rows !== undefined : sentAt !== undefined;
      return { kind: 'failed', error, failure, ambiguous: failure === 'connection' && begun, rows };
    } finally {
      timer.cancel();
      if (!watchdog.fired) giveBack(client, problem);
    }
  }

  async function send(text: PgText, values: (string | null)[], how?: 'knowing'): Promise<PgAnswer> {
    if (mode === 'unknown') {
      const answer = await sendOnce(readIsolation, false);
      if (answer.kind === 'failed') return { ...answer, ambiguous: false };
      noteIsolation(answer.rows[0]?.[0]);
    }
    for (let tries = 1; ; tries += 1) {
      const explicit = how === 'knowing' || mode !== 'autocommit';
      const answer = await sendOnce(queryOf(text, values), explicit);
      if (answer.kind === 'rows') return answer;
      if (answer.failure === 'unprepared' && prepare) {
        prepare = false;
      } else if (answer.failure === 'again' && tries < triesWhereGivenWay) {
        // A single statement fails this way only where a session's own default is stricter.
        if (sqlState(answer.error) === '40001') mode = 'transaction';
        await pause(clock, (0.5 + Math.random()) * 10 * 2 ** tries);
      } else {
        return answer;
      }
    }
  }

  return { send, withClient, noteIsolation, clock };
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

/** A query that no session has to have prepared. */
export function unnamed({ text }: PgText, values: (string | null)[]): PgQuery {
  return { text, values, rowMode: 'array', types: textOnly };
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

function isEnded(pool: PgPool): boolean {
  return 'ending' in pool && pool.ending === true;
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

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** A session that ends while its client is held fails the next query, which is what is looked at. */
function ignore(): void {
  // Without a listener, the event would end the process.
}
