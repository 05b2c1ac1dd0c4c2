import type { SqliteConnection } from './connection.js';

/** Something to do in the next write transaction. */
export interface WriteRequest {
  /** Claims come last in a transaction: they then see what was settled and inserted before. */
  readonly kind: 'write' | 'claim';
  /** The monotonic time after which a locked file is no longer waited for. */
  readonly deadline: number;
  /**
   * Looks, outside a transaction, whether there is anything to write. Where there is not, `answer`
   * answers nothing, whatever an earlier transaction did that was rolled back.
   */
  isIdle(connection: SqliteConnection): boolean;
  /**
   * Does it, inside a transaction that others share. Keeps its own errors for `answer`; throws only
   * where the transaction itself is gone, and may be called again then.
   */
  perform(connection: SqliteConnection, transaction: WriteTransaction): void;
  /**
   * Does it in transactions of its own, as many as it takes to keep bad rows from the good ones.
   * False where the file is locked: the next call goes on where this one stopped.
   */
  performAlone(connection: SqliteConnection, transact: Transact): boolean;
  /** Tells the outcome, after the commit. */
  answer(): void;
  /** Tells that nothing was done, and why; of a request that was begun alone, nothing more. */
  fail(error: unknown): void;
}

/** One write transaction. What was noted in it is forgotten where it is rolled back. */
export interface WriteTransaction {
  /** The monotonic time just before its first statement. */
  readonly sentAt: number;
  /** The holders whose keys are free when it commits; claims may take them at once. */
  readonly freed: Set<object>;
  /** The keys that claims have taken in it so far. */
  readonly taken: Set<string>;
}

/**
 * Runs a function in a transaction that is committed; false where the file is locked and nothing was
 * done. Throws what the function or the commit throws, and nothing was done then either.
 */
export type Transact = (run: (transaction: WriteTransaction) => void) => boolean;
