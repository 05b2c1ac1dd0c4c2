import type { InboxDatabase } from 'inbox-runtime';

/** The databases that the suites run on. */
export type Databases = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/** A row as the database shows it, every value as its text. */
export type ShownRow = Readonly<Record<string, string | null>>;

/** A connection of its own, for statements that must stand between two others. */
export interface Session {
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** A transaction of the application's own, and what it is handed to `enqueue` as. */
export interface Transaction {
  readonly tx: unknown;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** A setting of driver or session that a user may have, and that must change nothing. */
export interface Oddity {
  readonly title: string;
  /** Connects with that setting. */
  readonly connect: (stand: Stand) => InboxDatabase<Databases>;
}

/**
 * One database with fresh, empty tables of `fixtures/suite`, for one test. What the test opens
 * through it is closed with it.
 */
export interface Stand {
  /** A database as another process would have it: its own pool or handle. */
  connect(): InboxDatabase<Databases>;
  /** Runs statements, committed at once. */
  run(sql: string): Promise<void>;
  /** Runs a query, committed at once. */
  rows(sql: string): Promise<readonly ShownRow[]>;
  session(): Promise<Session>;
  begin(): Promise<Transaction>;
  /** Variables that tell a process where these tables are; see `connect-process.ts`. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A database to run the suite on. One file in this folder each. */
export interface Bench {
  readonly name: Databases;
  open(): Promise<Stand>;
  /** The database's clock now, as SQL of the type that `locked_until` of `jobs` has. */
  readonly now: string;
  /** An expression of the type of `jobs.payload`, from JSON text. */
  readonly json: (text: string) => string;
  /** How many units of a fence of `jobs` make a millisecond. */
  readonly fenceUnits: bigint;
  readonly oddities: readonly Oddity[];
}
