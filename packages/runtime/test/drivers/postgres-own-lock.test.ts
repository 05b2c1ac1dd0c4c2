import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import { systemClock, type Clock } from '../../src/clock/clock.js';
import type { HoldStore } from '../../src/drivers/hold-store.js';
import type { OwnLock } from '../../src/drivers/own-lock.js';
import { postgres } from '../../src/drivers/pg/index.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { postgresUrl } from '../support/postgres-jobs.js';
import {
  advisoryTasks,
  claimHold,
  ownLockStatements,
  postgresTasks,
  spyOn,
  type PostgresTasks,
} from '../support/postgres-tasks.js';
import { rejection, until } from '../support/until.js';

/** A 32-bit lock on the owner's name, in a namespace of the schema's own. */
const hashed = {
  lock: 'pg_try_advisory_lock(hashtext(current_schema()), hashtext($1))',
  unlock: 'pg_advisory_unlock(hashtext(current_schema()), hashtext($1))',
};

/** The same by functions. */
const functions: OwnLock<'postgres'> = {
  lock: async (connection, key) => {
    const { rows } = await connection.query(`SELECT ${hashed.lock} AS ok`, [key]);
    return (rows as { ok: boolean }[])[0]?.ok ?? false;
  },
  unlock: async (connection, key) => {
    const { rows } = await connection.query(`SELECT ${hashed.unlock} AS ok`, [key]);
    return (rows as { ok: boolean }[])[0]?.ok ?? false;
  },
};

function openSql(pool: pg.Pool, sql = hashed): HoldStore {
  return postgres(pool).openAdvisory(advisoryTasks(ownLockStatements(sql)), undefined);
}

function openFunctions(pool: pg.Pool, own: Partial<OwnLock<'postgres'>> = {}): HoldStore {
  const table = advisoryTasks(ownLockStatements());
  return postgres(pool, { answerTimeout: '2s' }).openAdvisory(table, { ...functions, ...own });
}

async function expectFree(tasks: PostgresTasks, pool: pg.Pool): Promise<void> {
  await until('no lock is left', async () => (await tasks.held()).locks === 0);
  await until('every client is back', () => pool.idleCount === pool.totalCount);
}

const claimNext = { busy: 1, idle: false };

describe.each([
  ['in SQL', openSql],
  ['by functions', openFunctions],
] as const)('an own lock %s on Postgres', (_, open) => {
  it('lets one row of a key be in work, and is given back with every outcome', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const [one, other] = [open(pool), open(tasks.pool())];
    const ann = await claimHold(one);
    const bob = await claimHold(other);
    expect([ann, bob].map(({ cells, lockKey }) => [lockKey, cells])).toEqual([
      ['ann', ['1', '2', 'ann']],
      ['bob', ['3', '2', 'bob']],
    ]);
    expect(await tasks.held()).toEqual({ locks: 2, transactions: 0 });
    expect(await one.claim(1, claimNext)).toEqual([]);
    const free = { state: 'done', closed: false };
    expect(await ann.settle('retry')).toEqual(free);
    expect(await bob.settle('release')).toEqual(free);
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    expect(await (await claimHold(one)).settle('ack')).toEqual(free);
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('is shared with whoever else takes it, on however many rows', async () => {
    const tasks = await postgresTasks();
    await tasks.rows(`
      DELETE FROM tasks;
      INSERT INTO tasks (owner)
      SELECT CASE WHEN n <= 30 THEN 'billing' ELSE 'free' END FROM generate_series(1, 40) n`);
    const billing = await tasks.pool().connect();
    await billing.query(`SELECT ${hashed.lock}`, ['billing']);
    const pool = tasks.pool();
    const store = open(pool);
    const hold = await claimHold(store);
    expect(hold.lockKey).toBe('free');
    await hold.settle('ack');
    await billing.query(`SELECT ${hashed.unlock}`, ['billing']);
    billing.release();
    const next = await claimHold(store);
    expect(next.lockKey).toBe('billing');
    await next.settle('ack');
    await expectFree(tasks, pool);
  });

  it('of a row that is settled meanwhile is given back, and the next row is taken', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const other = await tasks.pool().connect();
    await other.query('BEGIN; DELETE FROM tasks WHERE id = 1');
    const claim = claimHold(open(pool));
    await until('it waits', async () => (await tasks.held()).locks === 1);
    await other.query('COMMIT');
    other.release();
    const hold = await claim;
    expect(hold.cells[0]).toBe('2');
    await hold.settle('ack');
    await expectFree(tasks, pool);
  });

  it('of a session that ends under a handler lets nothing be settled, and the row is back', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    const hold = await claimHold(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await tasks.rows(`SELECT pg_terminate_backend(${hold.session})`);
    await until('it was heard of', () => heard.length === 1);
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    await until('no lock is left', async () => (await tasks.held()).locks === 0);
    const again = await claimHold(store);
    expect(again.cells).toEqual(['1', '3', 'ann']);
    await again.settle('ack');
    await expectFree(tasks, pool);
  });

  it('is fenced by the counted attempt', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const hold = await claimHold(open(pool));
    await tasks.rows('UPDATE tasks SET attempt = 7 WHERE id = 1');
    expect(await hold.settle('ack')).toMatchObject({
      ...{ state: 'lost', unwritten: true, closed: false },
    });
    expect(await tasks.left()).toEqual(['1:7', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });
});

describe('an own lock that fails', () => {
  const refusal = (): Promise<boolean> => Promise.reject(new Error('out of order'));

  it('at the lock closes the connection, and the claim rejects', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const error = await rejection(
      openFunctions(pool, {
        lock: async (connection, key) => (await functions.lock(connection, key)) && refusal(),
      }).claim(1, claimNext),
    );
    expect(error).toMatchObject({
      code: 'own-lock-failed',
      queue: 'Task',
      message: expect.stringContaining('out of order') as string,
    });
    await expectFree(tasks, pool);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
  });

  it('in SQL likewise', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const sql = { ...hashed, lock: '1 / (length($1) - 3) = 0' };
    expect(await rejection(openSql(pool, sql).claim(1, claimNext))).toMatchObject({
      code: 'own-lock-failed',
      cause: { code: '22012' },
    });
    await expectFree(tasks, pool);
  });

  it('at the lock by never answering is given up', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const lock = (): Promise<boolean> => new Promise(() => undefined);
    expect(await rejection(openFunctions(pool, { lock }).claim(1, claimNext))).toMatchObject({
      code: 'own-lock-failed',
    });
    await expectFree(tasks, pool);
  });

  it.each([
    ['answering false', () => Promise.resolve(false)],
    ['throwing', refusal],
  ])('at the unlock by %s closes the connection, which frees the key', async (_, unlock) => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = openFunctions(pool, { unlock });
    expect(await (await claimHold(store)).settle('ack')).toEqual({
      ...{ state: 'done', closed: true },
      unlockProblem: expect.any(Error) as Error,
    });
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
    // The next of the same owner can be claimed.
    const next = await claimHold(openSql(tasks.pool()));
    expect(next.lockKey).toBe('ann');
    await next.settle('ack');
  });

  it('at the unlock of a retry has lost the row by answering false, and given it back by throwing', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const refusing = openFunctions(pool, { unlock: () => Promise.resolve(false) });
    const lost = await (await claimHold(refusing)).settle('retry');
    expect(lost).toMatchObject({ state: 'lost', closed: true });
    expect(lost).not.toHaveProperty('unlockProblem');
    await until('no lock is left', async () => (await tasks.held()).locks === 0);
    const throwing = openFunctions(pool, { unlock: refusal });
    expect(await (await claimHold(throwing)).settle('retry')).toEqual({
      ...{ state: 'done', closed: true },
      unlockProblem: expect.objectContaining({ message: 'out of order' }) as Error,
    });
    expect(await tasks.left()).toEqual(['1:3', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('at the lock by throwing at once leaves no timer that later cancels something', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 1 });
    const texts = spyOn(pool);
    const timers = new Set<() => void>();
    let passed = 0;
    const clock: Clock = {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + passed,
      after(milliseconds, run) {
        const timer = systemClock.after(milliseconds, run);
        timers.add(run);
        return {
          ...timer,
          cancel() {
            timers.delete(run);
            timer.cancel();
          },
        };
      },
    };
    const store = postgres(pool, { clock }).openAdvisory(advisoryTasks(ownLockStatements()), {
      ...functions,
      lock() {
        throw new Error('out of order');
      },
    });
    expect(await rejection(store.claim(1, claimNext))).toMatchObject({
      code: 'own-lock-failed',
      message: expect.stringContaining('out of order') as string,
    });
    passed = 3_600_000;
    for (const run of [...timers]) run();
    // A pool of one hands its client out in the order in which it was asked for.
    await pool.query('SELECT 1');
    expect(texts.filter((text) => text.includes('pg_cancel_backend'))).toEqual([]);
  });

  it('at the lock by never answering keeps the process until it is given up', async () => {
    const tasks = await postgresTasks();
    const [row] = await tasks.rows('SELECT current_schema()::text AS schema');
    const script = `
      import pg from 'pg';
      import { postgres } from 'inbox-runtime/pg';
      const { url, table, options } = JSON.parse(process.env.TOLD);
      const pool = new pg.Pool({ connectionString: url, options });
      const store = postgres(pool, { answerTimeout: '3s' }).openAdvisory(table, {
        async lock(client) {
          // Nothing of the driver's is left that would keep the process.
          await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
          return new Promise(() => undefined);
        },
        unlock: async () => true,
      });
      try {
        await store.claim(1, { busy: 1, idle: false });
      } catch (error) {
        console.log(error.code);
        await pool.end();
      }`;
    const told = {
      url: postgresUrl(),
      table: advisoryTasks(ownLockStatements()),
      options: `-c search_path=${String(row?.['schema'])}`,
    };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: import.meta.dirname, env: { ...process.env, TOLD: JSON.stringify(told) } },
    );
    expect(stdout).toBe('own-lock-failed\n');
  });

  it('at the unlock because its session has ended has settled the row all the same', async () => {
    const tasks = await postgresTasks();
    const proxy = await cuttingProxy();
    const pool = tasks.pool({ url: proxy.url });
    const hold = await claimHold(openSql(pool));
    const lost = proxy.loseAnswerTo('pg_advisory_unlock');
    expect(await hold.settle('ack')).toEqual({
      ...{ state: 'done', closed: true },
      unlockProblem: expect.any(Error) as Error,
    });
    await lost;
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('to be there is refused at the check', async () => {
    const tasks = await postgresTasks();
    const store = postgres(tasks.pool()).openAdvisory(
      advisoryTasks(ownLockStatements()),
      undefined,
    );
    expect(await rejection(store.check())).toMatchObject({ code: 'bad-option', queue: 'Task' });
    expect(await rejection(store.claim(1, claimNext))).toMatchObject({ code: 'bad-option' });
  });
});

describe('checking a table with an own lock', () => {
  it('prepares its SQL, and takes what is well', async () => {
    const tasks = await postgresTasks();
    expect(await openSql(tasks.pool()).check()).toEqual([]);
    const sql = { ...hashed, unlock: 'no_such_unlock($1)' };
    expect(await rejection(openSql(tasks.pool(), sql).check())).toMatchObject({
      code: 'statement-refused',
      message: expect.stringContaining('"unlock"') as string,
    });
  });
});
