import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import type { HoldStore } from '../../src/drivers/hold-store.js';
import { postgres, type PostgresOptions } from '../../src/drivers/pg/index.js';
import { RowLockQueue } from '../../src/v1.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import {
  claimedCells,
  claimHold,
  postgresTasks,
  rowLockTasks,
  spyOn,
  type PostgresTasks,
} from '../support/postgres-tasks.js';
import { lockedSpec } from '../support/task-queues.js';
import { gate, rejection, until } from '../support/until.js';

function open(pool: pg.Pool, options: PostgresOptions = {}, table = rowLockTasks()): HoldStore {
  return postgres(pool, options).openRowLock(table);
}

/** Nothing is held any more, on the server and in the pool, and the first row can be claimed. */
async function expectFree(tasks: PostgresTasks, pool: pg.Pool): Promise<void> {
  await until('no transaction is open', async () => (await tasks.held()).transactions === 0);
  // A statement that was given up may just be being cancelled.
  await until('every client is back', () => pool.idleCount === pool.totalCount);
  expect((await claimedCells(open(tasks.pool())))[0]?.[0]).toBe(
    (await tasks.left())[0]?.split(':')[0],
  );
}

/** Has every DELETE wait inside a trigger until the answered function is called. */
async function holdUpDeletes(tasks: PostgresTasks, deferred = false): Promise<() => Promise<void>> {
  await tasks.rows(`
    CREATE TABLE gates ();
    CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN LOCK TABLE gates IN ACCESS SHARE MODE; RETURN OLD; END $$;
    ${
      deferred
        ? 'CREATE CONSTRAINT TRIGGER wait AFTER DELETE ON tasks INITIALLY DEFERRED FOR EACH ROW'
        : 'CREATE TRIGGER wait BEFORE DELETE ON tasks FOR EACH ROW'
    }
      EXECUTE FUNCTION wait_for_test();`);
  const gatekeeper = await tasks.pool({ settings: '-c application_name=gatekeeper' }).connect();
  await gatekeeper.query('BEGIN; LOCK TABLE gates');
  return async () => {
    await gatekeeper.query('ROLLBACK');
    gatekeeper.release();
  };
}

describe('a row lock on Postgres', () => {
  it('holds one row a transaction, in order, past those that are held', async () => {
    const tasks = await postgresTasks();
    const store = open(tasks.pool());
    const holds = [await claimHold(store), await claimHold(store), await claimHold(store)];
    expect(holds.map(({ cells }) => cells)).toEqual([
      ['1', '2', 'ann'],
      ['2', '2', 'ann'],
      ['3', '2', 'bob'],
    ]);
    expect(new Set(holds.map(({ session }) => session)).size).toBe(3);
    expect(holds.map(({ lockKey }) => lockKey)).toEqual([null, null, null]);
    expect(await store.claim(1, { busy: 4, idle: false })).toEqual([]);
    expect((await tasks.held()).transactions).toBe(3);
    await Promise.all(holds.map((hold) => hold.settle('release')));
  });

  it('deletes at ack, counts at retry, and leaves a released row as it was', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    const [first, second, third] = [
      await claimHold(store),
      await claimHold(store),
      await claimHold(store),
    ];
    const free = { state: 'done', closed: false };
    expect(await first.settle('ack')).toEqual(free);
    expect(await second.settle('retry')).toEqual(free);
    expect(await third.settle('release')).toEqual(free);
    expect(await tasks.left()).toEqual(['2:2', '3:1']);
    await expectFree(tasks, pool);
  });

  it('needs no statement to retry where the table does not count', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const hold = await claimHold(open(pool, {}, rowLockTasks(false)));
    expect(hold.cells).toEqual(['1', 'ann']);
    expect(await hold.settle('retry')).toEqual({ state: 'done', closed: false });
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('is READ COMMITTED whatever the default, and one statement where an idle queue is empty', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c default_transaction_isolation=serializable' });
    const texts = spyOn(pool);
    const store = open(pool);
    const hold = await claimHold(store);
    expect(texts[0]).toBe('BEGIN ISOLATION LEVEL READ COMMITTED');
    await hold.settle('ack');
    await tasks.rows('DELETE FROM tasks');
    texts.length = 0;
    expect(await store.claim(1, { busy: 1, idle: true })).toEqual([]);
    expect(texts).toEqual(['SELECT 1 FROM tasks LIMIT 1']);
  });

  it('lets the handler insert a child of its row on another connection', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const hold = await claimHold(open(pool));
    await tasks.rows('INSERT INTO task_notes VALUES (1)');
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: false,
      error: { code: '23503' },
    });
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('whose COMMIT is refused has settled nothing', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      ALTER TABLE task_notes ALTER CONSTRAINT task_notes_task_id_fkey DEFERRABLE INITIALLY DEFERRED;
      INSERT INTO task_notes VALUES (1)`);
    expect(await (await claimHold(open(pool))).settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: false,
      error: { code: '23503' },
    });
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it.each(['40001', '40P01', '55P03'])('whose settlement gives way (%s) is lost', async (state) => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'gave way' USING ERRCODE = '${state}'; END $$;
      CREATE TRIGGER give_way BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION give_way();`);
    expect(await (await claimHold(open(pool))).settle('ack')).toMatchObject({
      state: 'lost',
      closed: false,
      error: { code: state },
    });
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('whose row is not there to be written is lost', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION refuse();`);
    expect(await (await claimHold(open(pool))).settle('ack')).toMatchObject({
      ...{ state: 'lost', unwritten: true, closed: false },
    });
    await expectFree(tasks, pool);
  });

  it('is claimed again at once where the claim gave way', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    await tasks.rows(`
      CREATE SEQUENCE claims;
      CREATE FUNCTION may_claim() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('claims') < 3 THEN
            RAISE EXCEPTION 'gave way' USING ERRCODE = '40P01';
          END IF;
          RETURN TRUE;
        END $$;`);
    const store = open(pool, {}, rowLockTasks(true, 'WHERE (SELECT may_claim())'));
    const hold = await claimHold(store);
    expect(hold.cells[0]).toBe('1');
    await hold.settle('ack');
    expect(await tasks.rows('SELECT last_value::int FROM claims')).toEqual([{ last_value: 3 }]);
    await expectFree(tasks, pool);
  });

  it('survives a session that has forgotten its prepared statements', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 1 });
    const store = open(pool);
    await (await claimHold(store)).settle('ack');
    await pool.query('DEALLOCATE ALL');
    await (await claimHold(store)).settle('ack');
    expect(await tasks.left()).toEqual(['3:1']);
    await expectFree(tasks, pool);
  });
});

describe('a session that the server ends', () => {
  it('at the claim leaves nothing held', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = open(pool);
    const table = await tasks.pool({ settings: '-c application_name=other' }).connect();
    await table.query('BEGIN; LOCK TABLE tasks');
    const claim = rejection(store.claim(1, { busy: 1, idle: false }));
    await until('it waits', async () => (await tasks.endSessions('%FOR NO KEY UPDATE%')) === 1);
    expect(await claim).toMatchObject({ code: '57P01' });
    await table.query('ROLLBACK');
    table.release();
    await expectFree(tasks, pool);
  });

  it('under a handler is heard of once, and the row returns', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const [ack, retry, release] = await Promise.all([1, 2, 3].map(() => claimHold(open(pool))));
    const heard: unknown[] = [];
    for (const hold of [ack, retry, release]) {
      hold?.onEnd((error) => heard.push((error as { code: unknown }).code));
    }
    expect(await tasks.endSessions('%FOR NO KEY UPDATE%')).toBe(3);
    await until('all were heard of', () => heard.length >= 3);
    for (const [hold, verb] of [
      [ack, 'ack'],
      [retry, 'retry'],
      [release, 'release'],
    ] as const) {
      let late: unknown;
      hold?.onEnd((error) => (late = error));
      expect(late).toMatchObject({ code: '57P01' });
      expect(await hold?.settle(verb)).toMatchObject({
        state: 'lost',
        closed: true,
        error: { code: '57P01' },
      });
    }
    expect(heard).toEqual(['57P01', '57P01', '57P01']);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it.each([
    ['idle_in_transaction_session_timeout', '25P03'],
    ['transaction_timeout', '25P04'],
  ])('for its %s is lost', async (setting, code) => {
    const tasks = await postgresTasks();
    const [{ version } = {}] = await tasks.rows(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    // transaction_timeout came with PostgreSQL 17.
    if (setting === 'transaction_timeout' && Number(version) < 170_000) return;
    const pool = tasks.pool({ settings: `-c ${setting}=1500` });
    const hold = await claimHold(open(pool));
    const ended = gate<unknown>();
    hold.onEnd((error) => {
      ended.open(error);
    });
    expect(await ended.passed).toMatchObject({ code });
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    await expectFree(tasks, tasks.pool());
  });

  it('at the acknowledgement has lost the row', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const letGo = await holdUpDeletes(tasks);
    const hold = await claimHold(open(pool));
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    const settled = hold.settle('ack');
    await until('it waits', async () => (await tasks.endSessions('DELETE%')) === 1);
    expect(await settled).toMatchObject({ state: 'lost', closed: true, error: { code: '57P01' } });
    await letGo();
    // The settlement has said it.
    expect(heard).toEqual([]);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('during COMMIT leaves open whether the row was settled', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const letGo = await holdUpDeletes(tasks, true);
    const settled = (await claimHold(open(pool))).settle('ack');
    await until('it waits', async () => (await tasks.endSessions('COMMIT')) === 1);
    expect(await settled).toMatchObject({
      state: 'failed',
      ambiguous: true,
      closed: true,
      error: { code: '57P01' },
    });
    await letGo();
    await expectFree(tasks, pool);
  });

  it('after COMMIT, before its answer, leaves that open as well', async () => {
    const tasks = await postgresTasks();
    const proxy = await cuttingProxy();
    const pool = tasks.pool({ url: proxy.url });
    const hold = await claimHold(open(pool));
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    const lost = proxy.loseAnswerTo('COMMIT\0');
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: true,
      closed: true,
    });
    await lost;
    // The settlement has said it.
    expect(heard).toEqual([]);
    expect(await tasks.left()).toEqual(['2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it('between the write and COMMIT has lost the row', async () => {
    const tasks = await postgresTasks();
    const proxy = await cuttingProxy();
    const pool = tasks.pool({ url: proxy.url });
    const hold = await claimHold(open(pool));
    const lost = proxy.loseAnswerTo('DELETE FROM tasks');
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    await lost;
    await until('it is rolled back', async () => (await tasks.held()).transactions === 0);
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });
});

describe('an answer that does not come', () => {
  it('to a claim gives the connection up, and cancels what the server still does', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    // The server shows only the beginning of so long a statement.
    const long = rowLockTasks(true, `-- ${'é'.repeat(2_000)}`);
    const store = open(pool, { answerTimeout: '1500ms' }, long);
    const table = await tasks.pool({ settings: '-c application_name=other' }).connect();
    await table.query('BEGIN; LOCK TABLE tasks');
    expect(await rejection(store.claim(1, { busy: 1, idle: false }))).toMatchObject({
      message: expect.stringContaining('did not answer within 1500 ms') as string,
    });
    // The table is still locked: only a cancel ends the waiting.
    await until('nobody waits for it', async () => !(await tasks.lastRan('%(attempt + 1)::text%')));
    await table.query('ROLLBACK');
    table.release();
    await expectFree(tasks, pool);
  });

  it('to an acknowledgement gives the row back', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const letGo = await holdUpDeletes(tasks);
    const hold = await claimHold(open(pool, { answerTimeout: '1500ms' }));
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: true,
    });
    await until('nothing of it is left', async () => !(await tasks.lastRan('DELETE%')));
    await letGo();
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });

  it.each(['release', 'retry'] as const)(
    'to the ROLLBACK of a %s closes the connection',
    async (verb) => {
      const tasks = await postgresTasks();
      const proxy = await cuttingProxy();
      const pool = tasks.pool({ url: proxy.url });
      const store = open(pool, { answerTimeout: '1500ms' }, rowLockTasks(false));
      const hold = await claimHold(store);
      proxy.freeze();
      expect(await hold.settle(verb)).toEqual({ state: 'done', closed: true });
      proxy.thaw();
      expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
      await expectFree(tasks, pool);
    },
  );
});

describe('a statement that the server cancels', () => {
  it('at the claim leaves nothing held', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c statement_timeout=1000' });
    const table = await tasks.pool({ settings: '-c application_name=other' }).connect();
    await table.query('BEGIN; LOCK TABLE tasks');
    expect(await rejection(open(pool).claim(1, { busy: 1, idle: false }))).toMatchObject({
      code: '57014',
    });
    await table.query('ROLLBACK');
    table.release();
    await expectFree(tasks, pool);
  });

  it('at the acknowledgement gives the row back', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c statement_timeout=1000' });
    const letGo = await holdUpDeletes(tasks);
    expect(await (await claimHold(open(pool))).settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: false,
      error: { code: '57014' },
    });
    await letGo();
    expect(await tasks.left()).toEqual(['1:1', '2:1', '3:1']);
    await expectFree(tasks, pool);
  });
});

describe('checking a row-lock table on Postgres', () => {
  it('answers the settings that would end a long handler', async () => {
    const tasks = await postgresTasks();
    expect(await open(tasks.pool()).check()).toEqual([]);
    const settings =
      '-c idle_in_transaction_session_timeout=90s -c statement_timeout=1min -c idle_session_timeout=5s -c lock_timeout=1s';
    const limits = await open(tasks.pool({ settings })).check();
    expect(limits.map(({ setting, milliseconds }) => [setting, milliseconds])).toEqual([
      ['idle_in_transaction_session_timeout', 90_000],
      ['statement_timeout', 60_000],
    ]);
    const long = '-c idle_in_transaction_session_timeout=1h -c vacuum_cost_delay=0.5';
    expect(await open(tasks.pool({ settings: long })).check()).toEqual([]);
  });

  it('says of what the server answered that it has refused, not that it cannot be reached', async () => {
    const tasks = await postgresTasks();
    const other = await tasks.pool().connect();
    await other.query('BEGIN; LOCK TABLE tasks');
    const pool = tasks.pool({ settings: '-c lock_timeout=20ms' });
    const error = await rejection(open(pool).check());
    await other.query('ROLLBACK');
    other.release();
    expect(error).toMatchObject({
      ...{ code: 'statement-refused', queue: 'Task', cause: { code: '55P03' } },
      message: expect.stringMatching(/the server refused .* lock timeout/) as string,
    });
  });

  it('refuses sessions that may only read', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ settings: '-c default_transaction_read_only=on' });
    expect(await rejection(open(pool).check())).toMatchObject({
      code: 'wrong-database',
      message: expect.stringContaining('may only read') as string,
    });
  });

  it('refuses a table that is not as declared, and prepares every statement', async () => {
    const tasks = await postgresTasks();
    await tasks.rows('ALTER TABLE tasks DROP COLUMN attempt');
    expect(await rejection(open(tasks.pool()).check())).toMatchObject({ code: 'column-missing' });
    expect(await open(tasks.pool(), {}, rowLockTasks(false)).check()).toEqual([]);
  });
});

describe('the connections of Postgres', () => {
  it('are shared by all that is opened over one pool, so that a handler finds the last', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 4 });
    await tasks.rows("INSERT INTO tasks (owner) SELECT 'ann' FROM generate_series(1, 9)");
    const handler = async (): Promise<void> => {
      // Long enough for every worker to have claimed all that it may.
      await new Promise((resolve) => setTimeout(resolve, 20));
      await pool.query('SELECT 1');
    };
    const workers = [postgres(pool), postgres(pool)].map((database) =>
      new RowLockQueue(database, lockedSpec).work(handler, {
        ...{ concurrency: 3, poll: 50 },
        on: () => undefined,
      }),
    );
    await until('all are done', async () => (await tasks.left()).length === 0);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('are what the pool may have, and what its owner allows', async () => {
    const tasks = await postgresTasks();
    expect(postgres(tasks.pool({ max: 4 })).connections).toMatchObject({
      poolSize: 4,
      most: 3,
      limit: undefined,
    });
    expect(postgres(tasks.pool({ max: 1 }), { connectionLimit: 2 }).connections).toMatchObject({
      poolSize: 1,
      most: 1,
      limit: 2,
    });
    expect(() => postgres(tasks.pool(), { connectionLimit: 0 })).toThrow(/connectionLimit/);
  });
});
