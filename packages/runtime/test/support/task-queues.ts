import type pg from 'pg';

import { postgres, type PostgresOptions } from '../../src/drivers/pg/index.js';
import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import type {
  ConnectionBudget,
  EventListener,
  InboxDatabase,
  PromptOutcome,
  Worker,
  WorkOptions,
} from '../../src/index.js';
import {
  AdvisoryQueue,
  readBigint,
  readInteger,
  readText,
  RowLockQueue,
  writeText,
  type AdvisorySpec,
  type Cell,
  type QueueOptions,
  type RowLockSpec,
} from '../../src/v1.js';
import { advisoryTasks, postgresTasks, rowLockTasks } from './postgres-tasks.js';
import { sqliteJobs } from './sqlite-jobs.js';
import { keyedTable, keyedTableSql } from './sqlite-keyed-jobs.js';

/** A row of the tables that the holding forms' own tests work. */
export interface Task {
  readonly id: bigint;
  readonly attempt: number;
  readonly owner: string;
}

/** A new row. */
export interface NewTask {
  readonly owner: string;
}

const crossing = {
  decode: ([id, attempt, owner]: readonly Cell[]): Task => {
    if (owner === 'broken') throw new Error('an owner that does not fit');
    return {
      id: readBigint('id', id),
      attempt: readInteger('attempt', attempt) - 1,
      owner: readText('owner', owner),
    };
  },
  decodeKey: ([id]: readonly Cell[]): bigint => readBigint('id', id),
  decodeAttempt: ([, attempt]: readonly Cell[]): number => readInteger('attempt', attempt) - 1,
};

/** The table in row-lock form on Postgres, as `inbox-gen` would print it. */
export const lockedSpec: RowLockSpec<Task, NewTask, bigint, 'postgres'> = {
  ...rowLockTasks(),
  ...crossing,
  encode: ({ owner }) => [writeText('owner', owner)],
};

/** The table in advisory form on Postgres. */
export const keyedSpec: AdvisorySpec<Task, NewTask, bigint, 'postgres'> = {
  ...advisoryTasks(),
  ...crossing,
  encode: ({ owner }) => [writeText('owner', owner)],
};

/** The table in advisory form on SQLite. */
export const keyedSqliteSpec: AdvisorySpec<Task, NewTask, bigint, 'sqlite'> = {
  ...keyedTable,
  ...crossing,
  encode: ({ owner }) => [writeText('owner', owner), '{}'],
};

/** What the tests ask of a queue, whatever its form. */
export interface TaskQueue {
  check(): Promise<void>;
  enqueue(row: NewTask): Promise<bigint>;
  enqueueMany(rows: readonly NewTask[]): Promise<readonly bigint[]>;
  claim(options?: { readonly limit?: number }): Promise<readonly TaskDelivery[]>;
  work(
    handler: (row: Task, delivery: TaskContext) => TaskAnswer | PromiseLike<TaskAnswer>,
    options?: WorkOptions,
  ): Worker;
}

type TaskAnswer = PromptOutcome | undefined | void;

interface TaskContext {
  readonly attempt: number | null;
  readonly signal: AbortSignal;
}

/** A delivery that was claimed by hand. */
export interface TaskDelivery extends TaskContext, AsyncDisposable {
  readonly row: Task;
  ack(): Promise<void>;
  retry(): Promise<void>;
  drop(reason?: string): Promise<void>;
  release(): Promise<void>;
}

/** A form on a database, with an empty table. */
export interface TaskStand {
  readonly connections: ConnectionBudget;
  readonly queue: (options?: QueueOptions) => TaskQueue;
  /** The rows that are left, as `id:attempt`. */
  readonly left: () => Promise<readonly string[]>;
  /** How many locks on keys and open transactions there are on the server. */
  readonly held: () => Promise<number>;
  /** From now on a trigger ignores whatever deletes a row, and nobody is told. */
  readonly ignoreDeletes: () => Promise<unknown>;
}

/** The same on a server: with a pool, and sessions that can be ended. */
export interface PostgresTaskStand extends TaskStand {
  readonly pool: pg.Pool;
  readonly lostCode: 'transaction-lost' | 'lock-lost';
  /** Ends all sessions of the pool that hold a row. */
  readonly endHolders: () => Promise<number>;
  readonly rows: (sql: string) => Promise<unknown>;
}

/** How a stand's pool is made. */
export interface PoolOptions extends PostgresOptions {
  readonly max?: number;
  readonly settings?: string;
}

/** A stand of its own for the test. */
export type OpenPostgres = (options?: PoolOptions) => Promise<PostgresTaskStand>;

/** The holding forms on Postgres. */
export const postgresStands: readonly (readonly [string, OpenPostgres])[] = [
  [
    'row lock on Postgres',
    (options) =>
      postgresStand(options, 'transaction-lost', (database, own) => {
        return new RowLockQueue(database, lockedSpec, own);
      }),
  ],
  [
    'advisory on Postgres',
    (options) =>
      postgresStand(options, 'lock-lost', (database, own) => {
        return new AdvisoryQueue(database, keyedSpec, own);
      }),
  ],
];

/** The holding forms wherever there is nothing to do with connections. */
export const stands: readonly (readonly [string, () => Promise<TaskStand>])[] = [
  ...postgresStands,
  ['advisory on SQLite', () => Promise.resolve(sqliteStand())],
];

async function postgresStand(
  { max = 6, settings = '', ...options }: PoolOptions = {},
  lostCode: PostgresTaskStand['lostCode'],
  open: (database: InboxDatabase<'postgres'>, options?: QueueOptions) => TaskQueue,
): Promise<PostgresTaskStand> {
  const tasks = await postgresTasks();
  await tasks.rows('TRUNCATE tasks RESTART IDENTITY CASCADE');
  const pool = tasks.pool({ max, settings });
  const database = postgres(pool, options);
  return {
    pool,
    lostCode,
    connections: database.connections,
    queue: (own) => open(database, own),
    left: () => tasks.left(),
    held: async () => {
      const { locks, transactions } = await tasks.held();
      return locks + transactions;
    },
    endHolders: async () => {
      const ended = await tasks.rows(`
        SELECT pg_terminate_backend(pid)
        FROM pg_stat_activity
        WHERE application_name = current_schema() AND pid <> pg_backend_pid()
          AND (state LIKE 'idle in transaction%'
            OR pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory'))`);
      return ended.length;
    },
    rows: (sql) => tasks.rows(sql),
    ignoreDeletes: () =>
      tasks.rows(`
        CREATE FUNCTION ignore_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER ignore_delete BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION ignore_it()`),
  };
}

function sqliteStand(): TaskStand {
  const jobs = sqliteJobs();
  const handle = jobs.handle();
  handle.exec(keyedTableSql);
  const database = sqlite(handle);
  return {
    connections: database.connections,
    queue: (own) => new AdvisoryQueue(database, keyedSqliteSpec, own),
    left: () =>
      Promise.resolve(
        handle
          .prepare<[], { id: number; attempt: number }>('SELECT id, attempt FROM keyed_jobs')
          .all()
          .map(({ id, attempt }) => `${id}:${attempt}`),
      ),
    held: () => Promise.resolve(0),
    ignoreDeletes: () =>
      Promise.resolve(
        handle.exec(`
          CREATE TRIGGER ignore_delete BEFORE DELETE ON keyed_jobs
          BEGIN SELECT RAISE(IGNORE); END`),
      ),
  };
}

/** A listener that keeps what it hears, by kind. */
export function kindsHeard(): { readonly kinds: string[]; readonly on: EventListener } {
  const kinds: string[] = [];
  return { kinds, on: ({ kind }) => kinds.push(kind) };
}

/** So many rows, each with a key of its own. */
export function tasksOf(count: number): readonly NewTask[] {
  return Array.from({ length: count }, (_, n) => ({ owner: `owner ${n}` }));
}
