import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import type { HoldStore } from '../../src/drivers/hold-store.js';
import { postgres, type PostgresOptions } from '../../src/drivers/pg/index.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import {
  advisoryStatements,
  advisoryTasks,
  claimHold,
  postgresTasks,
  spyOn,
  type PostgresTasks,
} from '../support/postgres-tasks.js';
import { rejection, until } from '../support/until.js';

function open(pool: pg.Pool, options: PostgresOptions = {}, table = advisoryTasks()): HoldStore {
  return postgres(pool, options).openAdvisory(table, undefined);
}

const claimNext = { busy: 1, idle: false };

/** No lock and no transaction is left on the server, and every client is back or gone. */
async function expectFree(tasks: PostgresTasks, pool: pg.Pool): Promise<void> {
  await until('no lock is left', async () => (await tasks.held()).locks === 0);
  expect(await tasks.held()).toEqual({ locks: 0, transactions: 0 });
  await until('every client is back', () => pool.idleCount === pool.totalCount);
}

/** Runs something on the session that holds a row, as nobody ever should. */
async function runOn(client: pg.PoolClient | undefined, text: string): Promise<void> {
  if (client === undefined) throw new Error('no client was handed out');
  await client.query(text);
}

/** The client that a pool handed out last. */
function lastClient(pool: pg.Pool): () => pg.PoolClient | undefined {
  let last: pg.PoolClient | undefined;
  pool.on('acquire', (client) => {
    last = client;
  });
  return () => last;
}

/** Locks the table against everybody, until the answered function is called. */
async function lockTable(tasks: PostgresTasks): Promise<() => Promise<void>> {
  const client = await tasks.pool().connect();
  await client.query('BEGIN; LOCK TABLE tasks');
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

describe('a lock on a key, on Postgres', () => {
  it('is taken with one row, past the keys in work, and without a transaction', async () => {
    const tasks = await postgresTasks();
    const store = open(tasks.pool());
    const [ann, bob] = [await claimHold(store), await claimHold(store, 2)];
    expect([ann.cells, bob.cells]).toEqual([
      ['1', '2', 'ann'],
      ['3', '2', 'bob'],
    ]);
    expect(ann.lockKey).toMatch(/-ann$/);
    expect(await tasks.held()).toEqual({ locks: 2, transactions: 0 });
    expect(await store.claim(1, { busy: 3, idle: false })).toEqual([]);
    expect(await ann.settle('ack')).toEqual({ state: 'done', closed: false });
    const next = await claimHold(store, 2);
    expect(next.cells).toEqual(['2', '2', 'ann']);
    await Promise.all([bob.settle('ack'), next.settle('ack')]);
    expect(await tasks.left()).toEqual([]);
  });

  it('counted at its claim: a retry keeps the count, a release gives it back', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    const [ann, bob] = [await claimHold(store), await claimHold(store)];
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:2']);
    const free = { state: 'done', closed: false };
    expect(await ann.settle('retry')).toEqual(free);
    expect(await bob.settle('release')).toEqual(free);
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it.each(['ack', 'retry', 'release'] as const)(
    'serves a table without a count (%s)',
    async (verb) => {
      const tasks = await postgresTasks();
      const pool = tasks.pool();
      const hold = await claimHold(open(pool, {}, advisoryTasks(advisoryStatements(false), false)));
      expect(hold.cells).toEqual(['1', 'ann']);
      expect(await hold.settle(verb)).toEqual({ state: 'done', closed: false });
      expect(await tasks.left()).toHaveLength(verb === 'ack' ? 2 : 3);
      await expectFree(tasks, pool);
    },
  );

  it('costs an idle queue one statement', async () => {
    const tasks = await postgresTasks();
    await tasks.rows('DELETE FROM tasks');
    const pool = tasks.pool();
    const texts = spyOn(pool);
    const store = open(pool);
    await store.claim(1, { busy: 1, idle: true });
    texts.length = 0;
    expect(await store.claim(1, { busy: 1, idle: true })).toEqual([]);
    expect(texts).toHaveLength(1);
  });

  it('of a row that is settled meanwhile is given back, and the next row is taken', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    // The claim has locked the key and waits for the row, which somebody is deleting.
    const other = await tasks.pool().connect();
    await other.query('BEGIN; DELETE FROM tasks WHERE id = 1');
    const claim = claimHold(store);
    await until('it waits', async () => (await tasks.held()).locks === 1);
    await other.query('COMMIT');
    other.release();
    const hold = await claim;
    expect(hold.cells).toEqual(['2', '2', 'ann']);
    expect((await tasks.held()).locks).toBe(1);
    await hold.settle('ack');
    await expectFree(tasks, pool);
  });

  it('is asked for again at once where others took every candidate', async () => {
    const tasks = await postgresTasks();
    const [holder, pool] = [tasks.pool(), tasks.pool()];
    await tasks.rows(
      "INSERT INTO tasks (owner) SELECT 'owner ' || n FROM generate_series(1, 20) n",
    );
    const held = await Promise.all(Array.from({ length: 9 }, () => claimHold(open(holder), 9)));
    let asked = 0;
    spyOn(pool, (text) => {
      asked += text.includes('pg_try_advisory_lock') ? 1 : 0;
      return asked === 3
        ? Promise.all(held.map((hold) => hold.settle('release'))).then()
        : undefined;
    });
    // This claim looks at nine rows, and does not see that all their keys are locked.
    const blind = advisoryTasks(advisoryStatements(true, { passingLocks: false }));
    const hold = await claimHold(open(pool, {}, blind));
    expect(asked).toBe(3);
    await hold.settle('ack');
    await expectFree(tasks, pool);
  });

  it('is never taken for a second holder of the key, whatever the default isolation', async () => {
    const tasks = await postgresTasks();
    await tasks.rows(
      "DELETE FROM tasks; INSERT INTO tasks (owner) SELECT 'owner ' || n % 7 FROM generate_series(1, 120) n",
    );
    const seen: unknown[] = [];
    const inWork = new Set<string | null>();
    const problems: unknown[] = [];
    const pools = ['read committed', 'serializable', String.raw`repeatable\ read`].map((level) =>
      tasks.pool({
        max: 3,
        settings: `-c default_transaction_isolation=${level.replace('d c', String.raw`d\ c`)}`,
      }),
    );
    await Promise.all(
      [...pools, ...pools].map(async (pool) => {
        const store = open(pool);
        for (;;) {
          const [hold] = await store.claim(1, { busy: 2, idle: false });
          if (hold === undefined) {
            if ((await tasks.left()).length === 0) return;
            continue;
          }
          if (inWork.has(hold.lockKey)) problems.push(`two hold ${String(hold.lockKey)}`);
          inWork.add(hold.lockKey);
          seen.push(hold.cells[0]);
          // What is done with the row takes at least a round trip.
          await pool.query('SELECT 1');
          inWork.delete(hold.lockKey);
          const settled = await hold.settle('ack');
          if (settled.state !== 'done' || settled.closed) problems.push(settled);
        }
      }),
    );
    expect(problems).toEqual([]);
    expect(seen).toHaveLength(120);
    expect(new Set(seen).size).toBe(120);
    for (const pool of pools) await expectFree(tasks, pool);
  });

  it('is taken in a READ COMMITTED transaction of its own where the default is another', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c default_transaction_isolation=serializable' });
    const texts = spyOn(pool);
    const hold = await claimHold(open(pool));
    const claimed = texts.findIndex((text) => text.includes('pg_try_advisory_lock'));
    expect(texts[claimed - 1]).toBe('BEGIN ISOLATION LEVEL READ COMMITTED');
    expect(texts[claimed + 1]).toBe('COMMIT');
    expect(await tasks.held()).toEqual({ locks: 1, transactions: 0 });
    await hold.settle('ack');
    await expectFree(tasks, pool);
  });

  it('lost meanwhile lets nothing be settled', async () => {
    for (const verb of ['ack', 'release', 'retry'] as const) {
      const tasks = await postgresTasks();
      const pool = tasks.pool();
      const last = lastClient(pool);
      const hold = await claimHold(open(pool));
      await runOn(last(), 'SELECT pg_advisory_unlock_all()');
      expect(await hold.settle(verb)).toMatchObject({ state: 'lost', closed: true });
      expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
      await expectFree(tasks, pool);
    }
  });

  it('held, but of a row that was counted elsewhere, lets nothing be settled', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const hold = await claimHold(open(pool));
    await tasks.rows('UPDATE tasks SET attempt = 7 WHERE id = 1');
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: false });
    expect(await tasks.left()).toEqual(['1:7', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('is given back where the settlement is refused', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows('INSERT INTO task_notes VALUES (1)');
    expect(await (await claimHold(open(pool))).settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: false,
      error: { code: '23503' },
    });
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('stays while a settlement that gave way is done again', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE SEQUENCE deletes;
      CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('deletes') < 3 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40001'; END IF;
          RETURN OLD;
        END $$;
      CREATE TRIGGER give_way BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION give_way();`);
    expect(await (await claimHold(open(pool))).settle('ack')).toEqual({
      state: 'done',
      closed: false,
    });
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('survives a session that has forgotten its prepared statements', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 1 });
    const store = open(pool);
    const last = lastClient(pool);
    await (await claimHold(store)).settle('ack');
    await pool.query('DEALLOCATE ALL');
    const hold = await claimHold(store);
    await runOn(last(), 'DEALLOCATE ALL');
    expect(await hold.settle('ack')).toMatchObject({ state: 'done' });
    expect(await tasks.left()).toEqual(['3:1']);
    await expectFree(tasks, pool);
  });
});

describe('a claim that fails', () => {
  it('after it has locked a key closes its connection', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION refuse();`);
    expect(await rejection(open(pool).claim(1, claimNext))).toMatchObject({ message: 'refused' });
    await expectFree(tasks, pool);
    // The one that is left had asked for the default isolation.
    await tasks.rows('DROP TRIGGER refuse ON tasks');
    await (await claimHold(open(pool))).settle('ack');
  });

  it('after it gave way is tried again, on a session without locks', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE SEQUENCE updates;
      CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('updates') < 3 THEN RAISE EXCEPTION 'gave way' USING ERRCODE = '40P01'; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER give_way BEFORE UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION give_way();`);
    const hold = await claimHold(open(pool));
    await until('one lock is left', async () => (await tasks.held()).locks === 1);
    expect(await hold.settle('ack')).toEqual({ state: 'done', closed: false });
    await expectFree(tasks, pool);
  });

  it('because the server ended its session leaves no lock', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    const letGo = await lockTable(tasks);
    const claim = rejection(store.claim(1, claimNext));
    await until('it waits', async () => (await tasks.endSessions('%inbox_taken%')) === 1);
    expect(await claim).toMatchObject({ code: '57P01' });
    await letGo();
    await expectFree(tasks, pool);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
  });

  it('because no answer comes, with a key locked, leaves neither lock nor count', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const other = await tasks.pool().connect();
    await other.query('BEGIN; SELECT FROM tasks WHERE id = 1 FOR UPDATE');
    const store = open(pool, { answerTimeout: '1500ms' });
    expect(await rejection(store.claim(1, claimNext))).toMatchObject({
      message: expect.stringContaining('did not answer within 1500 ms') as string,
    });
    // The row is still locked: only a cancel ends the waiting, and with the session goes the lock.
    await until('no lock is left', async () => (await tasks.held()).locks === 0);
    await other.query('ROLLBACK');
    other.release();
    await expectFree(tasks, pool);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
  });

  it('because the server cancels it leaves no lock', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c statement_timeout=1000' });
    const other = await tasks.pool().connect();
    await other.query('BEGIN; SELECT FROM tasks WHERE id = 1 FOR UPDATE');
    expect(await rejection(open(pool).claim(1, claimNext))).toMatchObject({ code: '57014' });
    await other.query('ROLLBACK');
    other.release();
    await expectFree(tasks, pool);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
  });
});

describe('a session with a lock that ends', () => {
  it.each(['ack', 'retry', 'release'] as const)(
    'under a handler is heard of, and nothing is settled (%s)',
    async (verb) => {
      const tasks = await postgresTasks();
      const pool = tasks.pool();
      const hold = await claimHold(open(pool));
      const heard: unknown[] = [];
      hold.onEnd((error) => heard.push(error));
      await tasks.rows(`SELECT pg_terminate_backend(${hold.session})`);
      await until('it was heard of', () => heard.length > 0);
      expect(await hold.settle(verb)).toMatchObject({
        state: 'lost',
        closed: true,
        error: { code: '57P01' },
      });
      expect(heard).toHaveLength(1);
      expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
      await expectFree(tasks, pool);
      await (await claimHold(open(pool))).settle('ack');
    },
  );

  it('for its idle_session_timeout is lost', async () => {
    const tasks = await postgresTasks();
    const [{ version } = {}] = await tasks.rows(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    // The setting came with PostgreSQL 14.
    if (Number(version) < 140_000) return;
    const pool = tasks.pool({ settings: '-c idle_session_timeout=1500' });
    const hold = await claimHold(open(pool));
    let heard: unknown;
    hold.onEnd((error) => (heard = error));
    await until('it was heard of', () => heard !== undefined);
    expect(heard).toMatchObject({ code: '57P05' });
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
  });

  it('during the acknowledgement leaves open whether it took effect', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const hold = await claimHold(open(pool));
    const letGo = await lockTable(tasks);
    const settled = hold.settle('ack');
    await until('it waits', async () => (await tasks.endSessions('DELETE%')) === 1);
    expect(await settled).toMatchObject({
      state: 'failed',
      ambiguous: true,
      closed: true,
      error: { code: '57P01' },
    });
    await letGo();
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('after the acknowledgement, before its answer, leaves that open as well', async () => {
    const tasks = await postgresTasks();
    const proxy = await cuttingProxy();
    const pool = tasks.pool({ url: proxy.url });
    const hold = await claimHold(open(pool));
    const lost = proxy.loseAnswerTo('DELETE FROM tasks');
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: true,
      closed: true,
    });
    await lost;
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it.each(['ack', 'retry', 'release'] as const)(
    'at the unlock has settled the row all the same (%s)',
    async (verb) => {
      const tasks = await postgresTasks();
      const proxy = await cuttingProxy();
      const pool = tasks.pool({ url: proxy.url });
      const hold = await claimHold(open(pool));
      const lost = proxy.loseAnswerTo('pg_advisory_unlock');
      expect(await hold.settle(verb)).toEqual({ state: 'done', closed: true });
      await lost;
      expect(await tasks.left()).toEqual(
        verb === 'ack' ? ['2:1', '3:1'] : [verb === 'retry' ? '1:2' : '1:1', '2:1', '3:1'],
      );
      await expectFree(tasks, pool);
    },
  );

  it.each([
    ['ack', { state: 'failed', ambiguous: true, closed: true }],
    ['release', { state: 'failed', ambiguous: true, closed: true }],
    ['retry', { state: 'done', closed: true }],
  ] as const)('because no answer comes to a %s frees the key', async (verb, answer) => {
    const tasks = await postgresTasks();
    const proxy = await cuttingProxy();
    const pool = tasks.pool({ url: proxy.url });
    const hold = await claimHold(open(pool, { answerTimeout: '1500ms' }));
    proxy.freeze();
    expect(await hold.settle(verb)).toMatchObject(answer);
    proxy.thaw();
    expect(await tasks.left()).toEqual(['1:2', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });
});

describe('checking an advisory table on Postgres', () => {
  it('answers the settings that would end a long handler', async () => {
    const tasks = await postgresTasks();
    expect(await open(tasks.pool()).check()).toEqual([]);
    const settings = '-c idle_in_transaction_session_timeout=90s -c idle_session_timeout=5s';
    const limits = await open(tasks.pool({ settings })).check();
    expect(limits.map(({ setting, milliseconds }) => [setting, milliseconds])).toEqual([
      ['idle_session_timeout', 5_000],
    ]);
  });

  it('takes a pool of one, and locks nothing', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 1 });
    await open(pool).check();
    await expectFree(tasks, pool);
    expect(pool.totalCount).toBe(1);
  });
});
