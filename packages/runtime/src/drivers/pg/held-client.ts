import { InboxError } from '../../errors/inbox-error.js';
import { failureKind } from './failure.js';
import type { PgPoolClient, PgQuery, PgResult } from './pool.js';
import { rollback } from './transaction.js';
import type { PgWatchdog } from './watchdog.js';

/**
 * A client that is ours. The end of its session is heard from the first moment on, so that it never
 * ends the process. `giveBack` and `close` part with it; what is called afterwards does nothing.
 */
export interface PgHeldClient {
  /** The client itself, for an author's own functions. */
  readonly client: PgPoolClient;
  /** The session, as the server (or a pooler before it) named it when it began. */
  readonly pid: number | undefined;
  /** The same as text, for events. */
  readonly session: string;
  /** What ended the session, ours or the server's doing; undefined while it lives. */
  readonly ended: Error | undefined;
  /** True when the connection was ended instead of given back. */
  readonly closed: boolean;
  /** True when an answer was waited for too long, and the connection closed for it. */
  readonly gaveUp: boolean;
  /** Whether a transaction has begun in which nothing was done yet; the one who sends says so. */
  begun: boolean;
  /** How often it was taken over by a claim instead of going back to the pool. */
  takeovers: number;
  /** Sends a query; one that is only a text has no values, and its rows are of no interest. */
  query(query: PgQuery | string): Promise<PgResult>;
  /**
   * Waits for what `run` sends, but no longer than so many milliseconds: then it rejects, the
   * connection is closed, and the statement that the server may still execute is cancelled.
   * `foreign` where `run` is, or ends in, a function of an author's, which may wait for anything.
   */
  within<Result>(
    milliseconds: number,
    run: () => Promise<Result>,
    foreign?: 'foreign',
  ): Promise<Result>;
  /** The one who hears that the session ended by itself; called at once where it has. */
  onEnd(listener: (error: Error) => void): void;
  /** Back to the pool. Only for a client without transaction and locks. */
  giveBack(): void;
  /**
   * The same when this turn of the event loop ends, unless a claim takes the client over before. It
   * may have `begun` a transaction. Whoever calls this must not use the client any more.
   */
  park(): void;
  /** Ends the session, and with it whatever it holds. */
  close(reason: Error): void;
  /** Back to the pool once its transaction is rolled back, else closed. */
  rollBack(milliseconds: number): Promise<void>;
  /** After an error: back to the pool once its transaction is rolled back, else closed. */
  recover(error: unknown, milliseconds: number): Promise<void>;
}

/** What a held client is given to do with others. */
export interface PgHeldBy {
  readonly watchdog: PgWatchdog;
  /** Keeps a client that nobody uses until the end of this turn. */
  readonly park: (held: PgHeldClient) => void;
  /** Cancels a statement for whose answer nobody waits any more. */
  readonly cancel: (pid: number, text: string) => void;
}

type Writable<Type> = { -readonly [Property in keyof Type]: Type[Property] };

/** Takes charge of a client that a pool has handed out, and that `ignore` listens to. */
export function heldClient(
  client: PgPoolClient,
  { watchdog, park, cancel }: PgHeldBy,
): PgHeldClient {
  const pid = client.processID ?? undefined;
  let listener: ((error: Error) => void) | undefined;
  let running: string | undefined;
  let gone = false;

  const hear = (error: Error): void => {
    held.ended ??= error;
    const told = listener;
    listener = undefined;
    told?.(error);
  };
  client.on('error', hear);
  client.removeListener('error', ignore);

  function part(error: Error | undefined): void {
    if (gone) return;
    gone = true;
    listener = undefined;
    // The pool's own listener is there from here on.
    client.release(error);
    client.removeListener('error', hear);
  }

  // Plain properties: accessors would cost each object a shape of its own.
  const held: Writable<PgHeldClient> = {
    client,
    pid,
    session: String(pid ?? 'unknown'),
    ended: undefined,
    closed: false,
    gaveUp: false,
    begun: false,
    takeovers: 0,
    query(query) {
      // A client that was parted with is somebody else's.
      if (gone) return Promise.reject(held.ended ?? new Error('The connection was given up.'));
      running = typeof query === 'string' ? query : query.text;
      return client.query(query);
    },
    within: (milliseconds, run, foreign) =>
      new Promise((resolve, reject) => {
        // First, so that nothing is watched where it throws.
        const answer = run();
        const watch = foreign === undefined ? watchdog.watch : watchdog.watchAwake;
        const watched = watch(milliseconds, () => {
          const error = new Error(`The server did not answer within ${milliseconds} ms.`);
          held.gaveUp = true;
          held.close(error);
          reject(error);
          if (pid !== undefined && running !== undefined) cancel(pid, running);
        });
        answer.then(
          (result) => {
            watchdog.forget(watched);
            resolve(result);
          },
          (error: unknown) => {
            watchdog.forget(watched);
            reject(asError(error));
          },
        );
      }),
    onEnd(told) {
      if (held.ended === undefined) listener = told;
      else told(held.ended);
    },
    giveBack() {
      // A pool drops a client whose session has ended.
      if (held.ended !== undefined) held.closed = true;
      part(held.ended);
    },
    park() {
      listener = undefined;
      if (held.ended === undefined) park(held);
      else held.giveBack();
    },
    close(reason) {
      if (gone) return;
      held.closed = true;
      part(reason);
      held.ended ??= reason;
    },
    async rollBack(milliseconds) {
      try {
        await held.within(milliseconds, () => held.query(rollback));
        held.giveBack();
      } catch (problem) {
        held.close(asError(problem));
      }
    },
    async recover(error, milliseconds) {
      if (gone) return;
      if (held.ended !== undefined || !isAnswer(error)) {
        held.close(asError(error));
      } else {
        await held.rollBack(milliseconds);
      }
    },
  };
  return held;
}

/** Whether an error shows a session that goes on: the server has answered, or we never asked. */
function isAnswer(error: unknown): boolean {
  return error instanceof InboxError || failureKind(error) !== 'connection';
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Without a listener, the event would end the process. The next query fails, which is looked at. */
export function ignore(): void {
  // Nothing is to be done.
}
