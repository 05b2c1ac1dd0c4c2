import type { LeaseQueue } from 'inbox-runtime/v1';

/** The databases that can be measured. */
export type DatabaseKind = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/** The forms that can be measured; SQLite has no row locks. */
export type Form = 'lease' | 'row-lock' | 'advisory';

/** A row to add. */
export interface NewReport {
  readonly payload: unknown;
}

/** The part of a generated queue class that is measured; that of every form has it. */
export interface ReportQueue {
  work(
    handler: () => void | Promise<void>,
    options: { readonly concurrency: number },
  ): Pick<ReturnType<LeaseQueue<never, never, never, never>['work']>, 'ready' | 'stats' | 'stop'>;
  enqueue(row: NewReport): Promise<unknown>;
}

/** Counts the rows of a round as they are handled. */
export interface Progress {
  /** Called for each row that is handled; answers true when it was the last. */
  readonly handled: () => boolean;
  /** Whether all rows have been handled. */
  readonly finished: boolean;
}

/** A loop that a careful engineer would write by hand; ends when all rows have been handled. */
export type Loop = (progress: Progress) => Promise<void>;

/** What is measured in one form: our queue, and the loops written by hand over the same driver. */
export interface FormBench {
  readonly table: string;
  readonly queue: ReportQueue;
  /** Claims one row, handles it, acknowledges it, until the last is handled; many run at once. */
  readonly rowByRow: Loop;
  /** Claims a hundred rows, handles them, acknowledges them together, until the last is handled. */
  readonly hundredAtATime?: Loop;
}

/** A database with the tables of `fixtures/bench`. */
export interface Bench {
  /** The server and driver, for the report. */
  readonly title: string;
  readonly forms: Readonly<Partial<Record<Form, FormBench>>>;
  /** Empties a table and adds that many due rows. */
  fill(table: string, rows: number): Promise<void>;
  /** How many rows are in a table. */
  left(table: string): Promise<number>;
  /** How many statements (on SQLite: none are counted) have been sent since this was last asked. */
  sent(): number | Promise<number>;
  close(): Promise<void>;
}

/** The payload of the report with that number. */
export const payloadOf = (report: number): { report: number; pages: string } => ({
  report,
  pages: 'x'.repeat(80),
});
