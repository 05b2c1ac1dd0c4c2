import type { SqliteConnection } from './connection.js';

/** Something to do in the next write transaction. */
export interface WriteRequest {
  /** Claims come last in a transaction: they then see what was settled and inserted before. */
  readonly kind: 'write' | 'claim';
  /** The monotonic time after which a locked file is no longer waited for. */
  readonly deadline: number;
  /** Looks, outside a transaction, whether there is anything to write. */
  isIdle(connection: SqliteConnection): boolean;
  /**
   * Does it, inside a transaction that others share. Keeps its own errors for `answer`; throws only
   * where the transaction itself is gone, and may be called again then.
   */
  perform(connection: SqliteConnection, sentAt: number): void;
  /** Does it in transactions of its own, as many as it takes to keep bad rows from the good ones. */
  performAlone(connection: SqliteConnection, transact: Transact): void;
  /** Tells the outcome, after the commit. */
  answer(): void;
  /** Tells that nothing was done, and why. */
  fail(error: unknown): void;
}

/** Runs a function in a transaction that is committed, or rolled back where anything throws. */
export type Transact = (run: (sentAt: number) => void) => void;
