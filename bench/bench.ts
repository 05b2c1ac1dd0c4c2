import type { InboxDatabase } from 'inbox-runtime';

/** The databases that can be measured. */
export type Databases = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/** Called for each row that is handled; answers true when it was the last. */
export type Handled = () => boolean;

/**
 * One database with the table `reports`: what our worker runs on, and the loops that a careful
 * engineer would write by hand over the same driver, with the same statements.
 */
export interface Bench {
  /** The server and driver, for the report. */
  readonly title: string;
  readonly database: InboxDatabase<Databases>;
  /** Empties the table and adds that many due rows. */
  fill(rows: number): Promise<void>;
  /** How many rows are in the table. */
  left(): Promise<number>;
  /** How many statements (on SQLite: transactions) have been sent since this was last asked. */
  sent(): number | Promise<number>;
  /** Claims one row, handles it, acknowledges it, until the last is handled. */
  rowByRow(handled: Handled): Promise<void>;
  /** Claims a hundred rows, handles them, acknowledges them together, until the last is handled. */
  hundredAtATime(handled: Handled): Promise<void>;
  close(): Promise<void>;
}
