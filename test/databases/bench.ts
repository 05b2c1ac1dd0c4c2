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
  /**
   * What the sessions of `connect` and of worker processes hold now that must not outlive a
   * delivery: open transactions and session locks, each in words.
   */
  held(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** How sessions are to be where it matters to a test. Times are whole seconds. */
export interface SessionSettings {
  /** The pool's size; 8 where it is not said. */
  readonly connections?: number;
  /** What the workers of the database may ask for together. */
  readonly connectionLimit?: number;
  /** After how long the server ends a session that is quiet while it holds a row. */
  readonly idleLimit?: number;
  /** After how long the server ends a statement, or its waiting for a lock. */
  readonly statementLimit?: number;
  /** True where transactions are SERIALIZABLE unless they say otherwise. */
  readonly serializable?: boolean;
}

/** A database over a pool of its own. */
export interface PooledDatabase {
  readonly database: InboxDatabase<Databases>;
  /** Runs a query on the pool, as a handler would. */
  readonly query: (sql: string) => Promise<unknown>;
  /** Runs a query on every connection of the pool, whoever has it. */
  readonly onEach: (sql: string) => Promise<void>;
  /** The texts of all statements that the pool's connections have been sent, in order. */
  readonly texts: string[];
}

/** A stand on a server, whose sessions can be looked at and ended. */
export interface ServerStand extends Stand {
  connectWith(settings: SessionSettings): PooledDatabase;
  /** How many sessions, of `connect` and of processes, wait for a lock that somebody else has. */
  waiting(): Promise<number>;
  /** How many sessions there are of `connect` and of processes. */
  sessions(): Promise<number>;
  /** Ends all sessions of `connect` and of processes, as an administrator would. */
  endSessions(): Promise<void>;
}

/** A bench whose stands are on a server. */
export interface ServerBench extends Bench {
  open(): Promise<ServerStand>;
  /** A stand whose session locks are apart from those of all others: another database. */
  openApart(): Promise<ServerStand>;
  /** A query that frees all session locks of the session that runs it. */
  readonly unlockAll: string;
  /** Locks a table against everybody else's statements, until the session ends; SQL. */
  readonly lockTable: (table: string) => string;
  /** Frees what `lockTable` has locked; SQL. */
  readonly unlockTable: string;
  /** The server's setting that `idleLimit` sets for a form. */
  readonly idleSetting: { readonly 'row-lock': string; readonly advisory: string };
}

/** A database to run the suite on. One file in this folder each. */
export interface Bench {
  readonly name: Databases;
  open(): Promise<Stand>;
  /** The database's clock now, as SQL of the type that `locked_until` of `jobs` has. */
  readonly now: string;
  /** An expression of the type of `jobs.payload`, from JSON text. */
  readonly json: (text: string) => string;
  /** Has the payload of a table be text, so that it can be no JSON; SQL, empty where it is. */
  readonly plainPayload: (table: string) => string;
  /** How many units of a fence of `jobs` make a millisecond. */
  readonly fenceUnits: bigint;
  readonly oddities: readonly Oddity[];
}
