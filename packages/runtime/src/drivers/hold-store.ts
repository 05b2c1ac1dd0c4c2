import type { Cell } from '../statement.js';
import type { TableStore } from './table-store.js';

/** What is done with a held row. A drop is an `ack`: the row is finished. */
export type HoldVerb = 'ack' | 'retry' | 'release';

/**
 * How the settlement of a held row ended. Its connection is free again in every case, or closed.
 *
 * - `done`: written and committed, and the row or its key is free.
 * - `lost`: the transaction or the lock had ended before; or, where `unwritten`, it had not, and there
 *   was no row to write: it was changed or deleted elsewhere, or something of the table's (a trigger,
 *   a rule, a policy) keeps it from being written. Nothing was changed.
 * - `failed`: the database refused, and the row is back as it was; or, where `ambiguous`, the
 *   connection ended before the answer came, and the settlement took effect or did not.
 */
export type HoldSettled = (
  | { readonly state: 'done' }
  | { readonly state: 'lost'; readonly error: unknown; readonly unwritten?: boolean }
  | { readonly state: 'failed'; readonly error: unknown; readonly ambiguous: boolean }
) & {
  /** The connection was ended instead of given back: it might still have held something. */
  readonly closed: boolean;
  /**
   * Why an author's own lock could not be given back: `unlock` threw, or answered false where the
   * outcome had been written. The outcome stands, and the connection is closed. Where there was nothing
   * but the lock to settle, an `unlock` that answers false says that it was `lost`.
   */
  readonly unlockProblem?: unknown;
};

/** A claimed row and what holds it: an open transaction, or a session's lock on its key. */
export interface Hold {
  /** The row's cells: the key's, the counted attempt where the table counts, the rest. */
  readonly cells: readonly Cell[];
  /** The key's text as the database rendered it; null in row-lock form. */
  readonly lockKey: string | null;
  /** The session that holds the row, as the server names it; where there is none, the process. */
  readonly session: string;
  /**
   * Hears, at most once, that the session ended while the row was in work; called at once where it
   * has ended already, never once the row is settled.
   */
  onEnd(listener: (error: unknown) => void): void;
  /**
   * Writes the outcome and frees the row, or says why not. Never rejects, is called once, and is
   * over within the `answerTimeout`; a `release` within five seconds, if need be by closing the
   * connection.
   */
  settle(verb: HoldVerb): Promise<HoldSettled>;
}

/**
 * A table whose rows are held by a session while they are in work: row-lock or advisory form on one
 * database. It counts no connections; whoever claims has made sure that there is one.
 */
export interface HoldStore extends TableStore {
  /** How many rows one claim can take: 1 where each row has a connection of its own. */
  readonly rowsPerClaim: number;
  /**
   * True where a claim costs less on the connection that a settlement has just freed, which has begun
   * the next transaction by then, than it gains by being sent ahead of that settlement.
   */
  readonly chains?: boolean;
  /**
   * Takes up to `limit` due rows, and never more than `rowsPerClaim`, in claim order. `busy` says
   * how many rows this process has in work or is claiming, so that a claim looks past them. `idle`
   * where the last claim found nothing: then one statement is to be enough if nothing is due.
   *
   * Rejects with what the driver threw, or an `InboxError`; nothing is held then.
   */
  claim(
    limit: number,
    state: { readonly busy: number; readonly idle: boolean },
  ): Promise<readonly Hold[]>;
}
