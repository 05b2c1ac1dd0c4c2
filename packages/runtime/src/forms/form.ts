import type { TableStore } from '../drivers/table-store.js';
import type { InboxError } from '../errors/inbox-error.js';
import type { SettledAs } from './events.js';
import type { FormContext, Held, SettleListener } from './held.js';

/** What is done with rows in whatever form: what a handler decides, and what a caller by hand does. */
export interface Settling<Row extends Held> {
  readonly context: FormContext<Row>;
  /**
   * Settles an undecided row. The listener hears once how it ended: with nothing wrong, or an error;
   * where that leaves the row undecided again, it may be settled another way. `after` is a retry's
   * delay in milliseconds, always null in a form without `delays`.
   */
  settle(row: Row, as: SettledAs, after: number | null, listener: SettleListener<Row>): void;
  /** What whoever settles a row is told that is lost. */
  lostError(row: Row): InboxError | undefined;
}

/** What a worker needs of the form of its table: one worker's claims, and the rows it has in work. */
export interface Form<Row extends Held> extends Settling<Row> {
  readonly store: Pick<TableStore, 'check'>;
  /** The rows in work, and those decided and not yet settled. */
  readonly rows: ReadonlySet<Row>;
  /**
   * How many rows one claim can bring. Where that is one, each row has a connection of its own, and
   * several claims may be in flight.
   */
  readonly rowsPerClaim: number;
  /** Whether a handler may begin its next row while its last one is being settled. */
  readonly settlesAhead: boolean;
  /** Whether a retry can be written with a delay; else the row is held until the delay is over. */
  readonly delays: boolean;
  /** How long a stopping worker waits for rows that it gave back, in milliseconds. */
  readonly lastWait: number;
  /** How many connections were closed instead of given back. */
  readonly connectionsClosed: number;
  /**
   * Called once before the first claim. Throws an `InboxError` with code `connection-limit` where
   * the worker would ask for too much.
   */
  enter(concurrency: number): void;
  /**
   * Takes up to `limit` due rows, which are then among `rows`, in claim order; `undefined` where
   * this is not the moment: a settlement's end, or `whenFree`, says when it is. `idle` says that
   * nothing is expected to be there. Rejects with what the driver threw; nothing is held then.
   */
  claim(limit: number, idle: boolean): Promise<readonly Row[]> | undefined;
  /** Calls a listener once, when a claim that was not possible may be; the answer takes it back. */
  whenFree(listener: () => void): () => void;
  /** Whether a row that was just claimed is surely this worker's. */
  isProved(row: Row): boolean;
  /** Forgets a row that is settled or lost. */
  forget(row: Row): void;
  /** Ends the keeping of rows: the worker has stopped. */
  end(): void;
}
