import type { Clock } from '../../clock/clock.js';
import { InboxError } from '../../errors/inbox-error.js';
import { pgClients, watched } from './clients.js';
import { failureKind, sqlState, type PgFailureKind } from './failure.js';
import { asError, type PgHeldClient } from './held-client.js';
import type { PgParking } from './parking.js';
import {
  plainQuery,
  poolSizeOf,
  textOnly,
  type PgClient,
  type PgPool,
  type PgQuery,
  type PgRow,
} from './pool.js';
import { begin, commit } from './transaction.js';

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

/** How a statement is sent. */
export interface PgSending {
  /** Reads the answer before COMMIT is sent, so that a COMMIT without answer leaves two possibilities. */
  readonly knowing?: boolean;
  /** How long an answer is waited for, in milliseconds, where that is less than usual. */
  readonly answerTimeout?: number;
}

/** How the statements of one pool are sent. Shared by all queues of an `InboxDatabase`. */
export interface PgSession {
  /**
   * Sends one statement in a short READ COMMITTED transaction of its own, again where it only gave
   * way to another transaction. Never rejects.
   */
  send(text: PgText, values: (string | null)[], how?: PgSending): Promise<PgAnswer>;
  /**
   * Sends one statement that only reads, at whatever isolation the session has; answers its rows.
   * Rejects with what the driver threw.
   */
  look(query: () => PgQuery): Promise<readonly PgRow[]>;
  /**
   * Runs several statements on one connection, each with the time of an answer: those of a
   * transaction, or plain ones for a check.
   */
  withClient<Result>(
    run: (client: PgClient, pid: number | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** A client to hold for longer. Waits for one no longer than for an answer, or `limit`, in milliseconds. */
  checkOut(limit?: number): Promise<PgHeldClient>;
  /** The clients to hold for longer that were freed in this turn of the event loop. */
  readonly parking: PgParking;
  /** A statement as a connection is to execute it: prepared, unless poolers break that. */
  queryOf(text: PgText, values: (string | null)[]): PgQuery;
  /** Whether a statement must be given a transaction to be READ COMMITTED. */
  needsTransaction(): boolean | Promise<boolean>;
  /** Takes note of the isolation level that transactions have by default. */
  noteIsolation(level: string | null | undefined): void;
  /**
   * Whether what failed, for the time number `tries`, may simply be done again: it gave way to
   * another transaction (then some milliseconds have passed), or met a pooler that forgets prepared
   * statements (then none are prepared from here on). Nothing may be left of it.
   */
  mayTryAfter(error: unknown, tries: number): Promise<boolean>;
  /** How long an answer is waited for, in milliseconds. */
  readonly answerTimeout: number;
  /** How many clients the pool can have at once. */
  readonly poolSize: number;
  readonly clock: Clock;
}

/** How often a statement that gave way is sent again: 5 tries within about a third of a second. */
const triesWhereGivenWay = 5;

const readIsolation = plainQuery("SELECT current_setting('default_transaction_isolation')");

/** The session of a pool. `answerTimeout` is in milliseconds. */
export function pgSession(
  pool: PgPool,
  options: { readonly prepare: boolean; readonly answerTimeout: number; readonly clock: Clock },
): PgSession {
  const { answerTimeout, clock } = options;
  const clients = pgClients(pool, options);
  let prepare = options.prepare;
  // A single statement is READ COMMITTED by itself, where the server's default is.
  let mode: 'unknown' | 'autocommit' | 'transaction' = 'unknown';

  function queryOf(text: PgText, values: (string | null)[]): PgQuery {
    return prepare
      ? { text: text.text, values, name: text.name, rowMode: 'array', types: textOnly }
      : unnamed(text, values);
  }

  function noteIsolation(level: string | null | undefined): void {
    const readCommitted = level === 'read committed' || level === 'read uncommitted';
    mode = readCommitted ? 'autocommit' : 'transaction';
  }

  async function mayTryAfter(error: unknown, tries: number): Promise<boolean> {
    const failure = failureKind(error);
    if (failure === 'unprepared') {
      // Others may have found it out while this one was under way.
      prepare = false;
      return tries < triesWhereGivenWay;
    }
    // A single statement is refused so only where a session's own default is stricter.
    if (sqlState(error) === '40001') mode = 'transaction';
    if (failure !== 'again' || tries >= triesWhereGivenWay) return false;
    await pause(clock, (0.5 + Math.random()) * 10 * 2 ** tries);
    return true;
  }

  const checkOut = (limit = answerTimeout): Promise<PgHeldClient> => clients.checkOut(limit);

  async function withClient<Result>(
    run: (client: PgClient, pid: number | undefined) => Promise<Result>,
  ): Promise<Result> {
    const held = await checkOut();
    try {
      const result = await run(watched(held, answerTimeout), held.pid);
      held.giveBack();
      return result;
    } catch (error) {
      await held.recover(error, answerTimeout);
      throw error;
    }
  }

  async function sendOnce(
    query: PgQuery,
    explicit: boolean,
    timeout = answerTimeout,
  ): Promise<PgAnswer> {
    let held: PgHeldClient;
    try {
      held = await checkOut();
    } catch (error) {
      // Nothing was sent. An `InboxError` says that no pool will ever hand out a client again.
      const failure = error instanceof InboxError ? 'statement' : 'connection';
      return { kind: 'failed', error, failure, ambiguous: false, rows: undefined };
    }
    let sentAt: number | undefined;
    let rows: readonly PgRow[] | undefined;
    try {
      const answer = await held.within(timeout, async (): Promise<PgAnswer> => {
        if (explicit) await held.query(begin);
        sentAt = clock.monotonic();
        rows = (await held.query(query)).rows as readonly PgRow[];
        if (explicit) await held.query(commit);
        return { kind: 'rows', rows, sentAt };
      });
      held.giveBack();
      return answer;
    } catch (error) {
      const failure = failureKind(error);
      if (explicit || failure === 'connection') await held.recover(error, timeout);
      else held.giveBack();
      // In a transaction of several steps, nothing has happened before COMMIT was sent.
      const begun = explicit ? rows !== undefined : sentAt !== undefined;
      return { kind: 'failed', error, failure, ambiguous: failure === 'connection' && begun, rows };
    }
  }

  async function readMode(): Promise<Extract<PgAnswer, { kind: 'failed' }> | undefined> {
    if (mode !== 'unknown') return undefined;
    const answer = await sendOnce(readIsolation, false);
    if (answer.kind === 'failed') return { ...answer, ambiguous: false };
    noteIsolation(answer.rows[0]?.[0]);
    return undefined;
  }

  async function send(
    text: PgText,
    values: (string | null)[],
    how: PgSending = {},
  ): Promise<PgAnswer> {
    const failed = await readMode();
    if (failed !== undefined) return failed;
    for (let tries = 1; ; tries += 1) {
      const explicit = how.knowing === true || mode !== 'autocommit';
      const answer = await sendOnce(queryOf(text, values), explicit, how.answerTimeout);
      if (answer.kind === 'rows' || !(await mayTryAfter(answer.error, tries))) return answer;
    }
  }

  async function look(query: () => PgQuery): Promise<readonly PgRow[]> {
    for (let tries = 1; ; tries += 1) {
      const answer = await sendOnce(query(), false);
      if (answer.kind === 'rows') return answer.rows;
      if (!(await mayTryAfter(answer.error, tries))) throw asError(answer.error);
    }
  }

  function needsTransaction(): boolean | Promise<boolean> {
    return mode === 'unknown' ? findOutMode() : mode === 'transaction';
  }

  async function findOutMode(): Promise<boolean> {
    const failed = await readMode();
    if (failed !== undefined) throw asError(failed.error);
    return mode !== 'autocommit';
  }

  return {
    send,
    look,
    withClient,
    checkOut,
    parking: clients.parking,
    queryOf,
    needsTransaction,
    noteIsolation,
    mayTryAfter,
    answerTimeout,
    poolSize: poolSizeOf(pool),
    clock,
  };
}

/** A query that no session has to have prepared. */
export function unnamed({ text }: PgText, values: (string | null)[]): PgQuery {
  return { text, values, rowMode: 'array', types: textOnly };
}

/** Waits so many milliseconds. */
export function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });
}
