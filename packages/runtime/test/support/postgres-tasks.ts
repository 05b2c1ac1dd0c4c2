import type pg from 'pg';

import type { HoldStore } from '../../src/drivers/hold-store.js';
import type { AdvisoryTable, RowLockTable } from '../../src/drivers/tables.js';
import type { OwnLockStatements, PostgresAdvisoryStatements } from '../../src/spec.js';
import type { Cell, Statement, StatementValue } from '../../src/statement.js';
import { postgresJobs, type PostgresJobs } from './postgres-jobs.js';

/** A table whose rows a session holds while they are in work: three rows of two owners, to begin with. */
export const tasksTable = `
CREATE TABLE tasks (
  id      BIGSERIAL PRIMARY KEY,
  attempt SMALLINT  NOT NULL DEFAULT 1,
  owner   TEXT      NOT NULL
);
CREATE TABLE task_notes (task_id BIGINT NOT NULL REFERENCES tasks (id));
INSERT INTO tasks (owner) VALUES ('ann'), ('ann'), ('bob');`;

/** A test's own schema with that table in it. */
export interface PostgresTasks extends PostgresJobs {
  /** The rows that are left, as `id:attempt`. */
  left(): Promise<readonly string[]>;
  /** How many session locks the pools of the test hold on keys, and how many open transactions. */
  held(): Promise<{ readonly locks: number; readonly transactions: number }>;
  /** Whether a session of the test's executes, or last executed, a statement like this. */
  lastRan(like: string): Promise<boolean>;
}

export async function postgresTasks(): Promise<PostgresTasks> {
  const jobs = await postgresJobs();
  await jobs.rows(tasksTable);
  return {
    ...jobs,
    left: async () =>
      (await jobs.rows('SELECT id, attempt FROM tasks ORDER BY id')).map(
        ({ id, attempt }) => `${String(id)}:${String(attempt)}`,
      ),
    lastRan: async (like) => {
      const sessions = await jobs.rows(`
        SELECT FROM pg_stat_activity
        WHERE application_name = current_schema() AND pid <> pg_backend_pid() AND query LIKE '${like}'`);
      return sessions.length > 0;
    },
    held: async () => {
      const [row] = await jobs.rows(`
        SELECT
          (SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE locktype = 'advisory' AND application_name = current_schema())::int AS locks,
          (SELECT count(*) FROM pg_stat_activity
           WHERE state LIKE 'idle in transaction%' AND application_name = current_schema())::int
           AS transactions`);
      return row as { locks: number; transactions: number };
    },
  };
}

const shape = { queue: 'Task', table: 'tasks', keyWidth: 1, hostClock: false };

const insert: Statement = {
  values: ['column1'],
  text: `
INSERT INTO tasks (owner)
SELECT inbox_new.column1
FROM unnest($1::text[])
  WITH ORDINALITY AS inbox_new (column1, n)
ORDER BY inbox_new.n
RETURNING id::text`,
};

/** The table in row-lock form. `where` is one more condition of the claim. */
export function rowLockTasks(counted = true, where = ''): RowLockTable<'postgres'> {
  return {
    ...shape,
    counted,
    statements: {
      postgres: {
        due: { values: [], text: 'SELECT 1 FROM tasks LIMIT 1' },
        claim: {
          values: [],
          text: `
SELECT id::text,${counted ? ' (attempt + 1)::text,' : ''} owner
FROM tasks
${where}
ORDER BY tasks.id
LIMIT 1
FOR NO KEY UPDATE SKIP LOCKED`,
        },
        ack: { values: ['key1'], text: 'DELETE FROM tasks WHERE id = $1::bigint' },
        ...(counted
          ? {
              retry: {
                values: ['key1'],
                text: 'UPDATE tasks SET attempt = attempt + 1 WHERE id = $1::bigint',
              },
            }
          : {}),
        insert,
      },
    },
  };
}

const locks = `
    SELECT (inbox_locks.classid::bigint << 32) | inbox_locks.objid::bigint
    FROM pg_locks AS inbox_locks
    WHERE inbox_locks.locktype = 'advisory'
      AND inbox_locks.objsubid = 1
      AND inbox_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const key = `current_schema() || '-' || owner`;
const hash = `hashtextextended((${key}) COLLATE "C", 0)`;

function holdsLock(parameter: string): string {
  return `EXISTS (${locks}
      AND inbox_locks.pid = pg_backend_pid()
      AND (inbox_locks.classid::bigint << 32) | inbox_locks.objid::bigint = ${parameter}::bigint
  )`;
}

/** The statements of the table in advisory form, a key an owner. */
export function advisoryStatements(
  counted = true,
  { passingLocks = true } = {},
): PostgresAdvisoryStatements {
  const fence: StatementValue[] = counted ? ['key1', 'attempt'] : ['key1'];
  const where = counted ? 'id = $1::bigint AND attempt = $2::smallint' : 'id = $1::bigint';
  const taken = counted
    ? `
  UPDATE tasks AS inbox_job
  SET attempt = inbox_job.attempt + 1
  FROM inbox_locked
  WHERE inbox_job.id = inbox_locked.id
  RETURNING inbox_job.id, inbox_job.attempt, inbox_job.owner`
    : `
  SELECT inbox_job.id, inbox_job.owner
  FROM inbox_locked
  JOIN tasks AS inbox_job ON inbox_job.id = inbox_locked.id
  FOR NO KEY UPDATE OF inbox_job`;
  return {
    claim: {
      values: ['candidates'],
      text: `
WITH inbox_due AS MATERIALIZED (
  SELECT id, ${key} AS inbox_key, ${hash} AS inbox_lock
  FROM tasks
  ${passingLocks ? `WHERE ${hash} NOT IN (${locks})` : ''}
  ORDER BY id
  LIMIT $1
),
inbox_locked AS MATERIALIZED (
  SELECT * FROM inbox_due WHERE pg_try_advisory_lock(inbox_lock) LIMIT 1
),
inbox_taken AS (${taken}
)
SELECT
  (SELECT count(*) FROM inbox_due)::text,
  inbox_locked.inbox_lock::text,
  inbox_locked.inbox_key,
  inbox_taken.id::text,${counted ? ' inbox_taken.attempt::text,' : ''} inbox_taken.owner
FROM (VALUES (1)) AS inbox_answer
LEFT JOIN inbox_locked ON TRUE
LEFT JOIN inbox_taken ON TRUE`,
    },
    ack: {
      values: [...fence, 'lock'],
      text: `DELETE FROM tasks WHERE ${where} AND ${holdsLock(`$${fence.length + 1}`)}`,
    },
    ...(counted
      ? {
          release: {
            values: [...fence, 'lock'],
            text: `UPDATE tasks SET attempt = attempt - 1 WHERE ${where} AND ${holdsLock('$3')}`,
          },
        }
      : {}),
    unlock: { values: ['lock'], text: 'SELECT pg_advisory_unlock($1::bigint)::text' },
    insert,
  };
}

/** The table with a lock of its author's own: SQL where both are given, else functions. */
export function ownLockStatements(sql?: {
  readonly lock: string;
  readonly unlock: string;
}): OwnLockStatements {
  return {
    candidates: {
      values: ['candidates'],
      text: 'SELECT owner, id::text FROM tasks ORDER BY tasks.id LIMIT $1',
    },
    ...(sql === undefined
      ? {}
      : {
          lock: { values: ['lock'], text: `SELECT (${sql.lock})::text` },
          unlock: { values: ['lock'], text: `SELECT (${sql.unlock})::text` },
        }),
    take: {
      values: ['key1'],
      text: `
UPDATE tasks SET attempt = attempt + 1 WHERE id = $1::bigint
RETURNING id::text, attempt::text, owner`,
    },
    ack: {
      values: ['key1', 'attempt'],
      text: 'DELETE FROM tasks WHERE id = $1::bigint AND attempt = $2::smallint',
    },
    release: {
      values: ['key1', 'attempt'],
      text: 'UPDATE tasks SET attempt = attempt - 1 WHERE id = $1::bigint AND attempt = $2::smallint',
    },
    insert,
  };
}

/** The table in advisory form. */
export function advisoryTasks(
  statements: PostgresAdvisoryStatements | OwnLockStatements = advisoryStatements(),
  counted = true,
): AdvisoryTable<'postgres'> {
  return { ...shape, counted, statements: { postgres: statements } };
}

/** Claims a row that must be there. */
export async function claimHold(
  store: HoldStore,
  busy = 1,
): Promise<Awaited<ReturnType<HoldStore['claim']>>[number]> {
  const [hold, ...others] = await store.claim(1, { busy, idle: false });
  if (hold === undefined || others.length > 0) throw new Error('it did not claim one row');
  return hold;
}

/** The cells of what a claim answers. */
export async function claimedCells(store: HoldStore): Promise<readonly (readonly Cell[])[]> {
  const holds = await store.claim(1, { busy: 1, idle: false });
  const cells = holds.map((hold) => hold.cells);
  await Promise.all(holds.map((hold) => hold.settle('release')));
  return cells;
}

/**
 * The texts of all statements that a pool's clients send; `before` may hold one up. To be called
 * before the pool has clients.
 */
export function spyOn(
  pool: pg.Pool,
  before?: (text: string) => Promise<void> | undefined,
): string[] {
  const texts: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]): unknown => {
        const [first] = args;
        const text = typeof first === 'string' ? first : (first as { text: string }).text;
        texts.push(text);
        const wait = before?.(text);
        return wait === undefined ? query(...args) : wait.then(() => query(...args));
      },
    });
  });
  return texts;
}
