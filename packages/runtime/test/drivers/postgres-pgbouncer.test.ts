import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { openPgbouncer, type Server } from '../../../../scripts/servers/servers.mjs';
import type { HoldStore } from '../../src/drivers/hold-store.js';
import { postgres } from '../../src/drivers/pg/index.js';
import { JobQueue, postgresTable } from '../support/jobs.js';
import { postgresUrl } from '../support/postgres-jobs.js';
import {
  advisoryTasks,
  claimHold,
  ownLockStatements,
  rowLockTasks,
  tasksTable,
} from '../support/postgres-tasks.js';
import { rejection, until } from '../support/until.js';

// A pooler takes no search_path along, so these tests have a database instead of a schema.
const name = `inbox_pgbouncer_${process.pid}`;

let pgbouncer: Server;
let direct: pg.Pool;

beforeAll(async () => {
  const url = new URL(postgresUrl());
  await onServer(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  direct = new pg.Pool({ connectionString: url.href, max: 2, application_name: 'direct' });
  direct.on('error', () => undefined);
  pgbouncer = await openPgbouncer(url.href);
  // The first time, its package is downloaded.
}, 240_000);

afterAll(async () => {
  await pgbouncer.stop();
  await direct.end();
  await until('nobody is connected', async () => {
    const { rows } = await onServer(`SELECT FROM pg_stat_activity WHERE datname = '${name}'`);
    return rows.length === 0;
  });
  await onServer(`DROP DATABASE ${name}`);
});

beforeEach(async () => {
  await direct.query(`
    DROP TABLE IF EXISTS task_notes, tasks, job_notes, jobs;
    ${tasksTable}
    ${postgresTable}`);
});

async function onServer(text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

type Mode = 'session' | 'transaction';

/** A pool by way of PgBouncer, in one of its modes. */
function pooled(mode: Mode, max = 4): pg.Pool {
  const url = new URL(pgbouncer.url);
  url.pathname = `/${mode}`;
  const pool = new pg.Pool({ connectionString: url.href, max });
  onTestFinished(() => pool.end());
  return pool;
}

async function left(): Promise<readonly string[]> {
  const { rows } = await direct.query<{ id: string; attempt: number }>(
    'SELECT id, attempt FROM tasks ORDER BY id',
  );
  return rows.map(({ id, attempt }) => `${id}:${attempt}`);
}

/** How many keys are locked in the tests' database. */
async function locks(): Promise<number> {
  const { rows } = await direct.query(`
    SELECT FROM pg_locks
    WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return rows.length;
}

const advisory = (pool: pg.Pool): HoldStore =>
  postgres(pool).openAdvisory(advisoryTasks(), undefined);

const ownLocked = (pool: pg.Pool): HoldStore =>
  postgres(pool).openAdvisory(
    advisoryTasks(
      ownLockStatements({
        lock: 'pg_try_advisory_lock(hashtext($1))',
        unlock: 'pg_advisory_unlock(hashtext($1))',
      }),
    ),
    undefined,
  );

/** Claims and acknowledges until nothing is left; answers how often which row was claimed. */
async function workOff(store: HoldStore): Promise<ReadonlyMap<unknown, number>> {
  const claims = new Map<unknown, number>();
  for (;;) {
    const [hold] = await store.claim(1, { busy: 1, idle: false });
    if (hold === undefined) {
      if ((await left()).length === 0) return claims;
      continue;
    }
    claims.set(hold.cells[0], (claims.get(hold.cells[0]) ?? 0) + 1);
    await hold.settle('ack');
  }
}

describe.each([
  ['session', true],
  ['session', false],
  ['transaction', false],
] as const)('PgBouncer in %s mode, statements prepared: %s', (mode, prepare) => {
  it('carries the lease form', async () => {
    const queue = new JobQueue(postgres(pooled(mode), { prepare }));
    await queue.check();
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
    const [first, second, third] = await queue.claim({ limit: 3, lease: '1m' });
    await first?.extend();
    await Promise.all([first?.ack(), second?.retry(), third?.release()]);
    const { rows } = await direct.query('SELECT id::int, attempt FROM jobs ORDER BY id');
    expect(rows).toEqual([
      { id: 2, attempt: 2 },
      { id: 3, attempt: 1 },
    ]);
  });

  it('carries the row-lock form', async () => {
    const store = postgres(pooled(mode), { prepare }).openRowLock(rowLockTasks());
    expect(await store.check()).toEqual([]);
    const holds = [await claimHold(store), await claimHold(store), await claimHold(store)];
    const [first, second, third] = holds;
    expect(holds.map(({ cells }) => cells[0])).toEqual(['1', '2', '3']);
    expect(await store.claim(1, { busy: 4, idle: true })).toEqual([]);
    const free = { state: 'done', closed: false };
    expect(await first?.settle('ack')).toEqual(free);
    expect(await second?.settle('retry')).toEqual(free);
    expect(await third?.settle('release')).toEqual(free);
    expect(await left()).toEqual(['2:2', '3:1']);
  });
});

describe('PgBouncer in session mode', () => {
  it.each([
    ['our lock', advisory],
    ['an own lock', ownLocked],
  ] as const)('carries the advisory form with %s', async (_, open) => {
    const store = open(pooled('session'));
    expect(await store.check()).toEqual([]);
    const [ann, bob] = [await claimHold(store), await claimHold(store)];
    expect([ann.cells[0], bob.cells[0]]).toEqual(['1', '3']);
    expect(await locks()).toBe(2);
    const free = { state: 'done', closed: false };
    expect(await ann.settle('ack')).toEqual(free);
    expect(await bob.settle('release')).toEqual(free);
    expect(await locks()).toBe(0);
    expect(await left()).toEqual(['2:1', '3:1']);
  });

  it('is recognised with a pool of one', async () => {
    expect(await advisory(pooled('session', 1)).check()).toEqual([]);
  });

  it.each([
    ['row-lock', (pool: pg.Pool) => postgres(pool).openRowLock(rowLockTasks())],
    ['advisory', advisory],
  ] as const)('tells when the server ended the session of a %s table', async (_, open) => {
    const hold = await claimHold(open(pooled('session')));
    let heard: unknown;
    hold.onEnd((error) => (heard = error));
    await direct.query(`
      SELECT pg_terminate_backend(pid)
      FROM pg_stat_activity
      WHERE datname = current_database() AND application_name <> 'direct'`);
    await until('it was heard of', () => heard !== undefined);
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await left()).toHaveLength(3);
  });
});

describe('PgBouncer in transaction mode', () => {
  it.each([
    ['our lock', advisory],
    ['an own lock', ownLocked],
  ] as const)('is refused by the check of an advisory table with %s', async (_, open) => {
    expect(await rejection(open(pooled('transaction')).check())).toMatchObject({
      code: 'pooler-unsupported',
      queue: 'Task',
      message: expect.stringContaining('pool_mode = transaction') as string,
    });
  });

  it('is found out by a row-lock table that prepares its statements', async () => {
    await direct.query("INSERT INTO tasks (owner) SELECT 'cid' FROM generate_series(1, 60)");
    // One `InboxDatabase`: what one claim finds out, the others know.
    const store = postgres(pooled('transaction')).openRowLock(rowLockTasks());
    const all = await Promise.all([1, 2, 3, 4].map(() => workOff(store)));
    const claimed = new Set(all.flatMap((claims) => [...claims.keys()]));
    expect(claimed.size).toBe(63);
  });

  it('that does not show lets nothing be settled on another session', async () => {
    // One client alone is served by one session, as it would be without a pooler.
    const store = advisory(pooled('transaction', 1));
    expect(await store.check()).toEqual([]);
    const hold = await claimHold(store);
    expect(await locks()).toBe(1);
    // Somebody else's transaction gets the session with the lock.
    const other = await pooled('transaction', 1).connect();
    await other.query('BEGIN');
    const { rows } = await other.query(
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
    );
    expect(rows).toHaveLength(1);
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await left()).toEqual(['1:2', '2:1', '3:1']);
    // What the error and the documentation warn of: the lock is still there.
    expect(await locks()).toBe(1);
    await other.query('SELECT pg_advisory_unlock_all()');
    await other.query('ROLLBACK');
    other.release();
  });
});
