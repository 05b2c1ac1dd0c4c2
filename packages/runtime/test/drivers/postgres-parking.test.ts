import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import type { HoldStore } from '../../src/drivers/hold-store.js';
import { postgres } from '../../src/drivers/pg/index.js';
import {
  advisoryTasks,
  claimHold,
  postgresTasks,
  rowLockTasks,
  spyOn,
  type PostgresTasks,
} from '../support/postgres-tasks.js';
import { rejection, until } from '../support/until.js';

const done = { state: 'done', closed: false };
const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Claims a row and acknowledges it, so that a claim of the same turn finds its client. */
async function workOne(store: HoldStore): Promise<void> {
  const hold = await claimHold(store);
  expect(await hold.settle('ack')).toEqual(done);
}

async function addRows(tasks: PostgresTasks, count: number): Promise<void> {
  await tasks.rows(`INSERT INTO tasks (owner) SELECT 'cid' FROM generate_series(1, ${count})`);
}

/** The transaction statements among some texts. */
function transactions(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => /^(BEGIN|COMMIT|ROLLBACK)/.test(text));
}

async function expectIdle(tasks: PostgresTasks, pool: pg.Pool): Promise<void> {
  await until('every client is back', () => pool.idleCount === pool.totalCount);
  expect(await tasks.held()).toEqual({ locks: 0, transactions: 0 });
}

describe('a client that a settlement frees', () => {
  it('is taken over by a claim of the same turn, and begins its transaction ahead', async () => {
    const tasks = await postgresTasks();
    await addRows(tasks, 3);
    const pool = tasks.pool({ settings: '-c default_transaction_isolation=serializable' });
    const texts = spyOn(pool);
    let acquired = 0;
    pool.on('acquire', () => (acquired += 1));
    const readCommitted = "WHERE current_setting('transaction_isolation') = 'read committed'";
    const store = postgres(pool).openRowLock(rowLockTasks(true, readCommitted));
    for (let row = 0; row < 4; row += 1) await workOne(store);
    expect(acquired).toBe(1);
    const ahead = 'COMMIT AND CHAIN';
    expect(transactions(texts)).toEqual([begin, 'COMMIT', begin, ahead, ahead, ahead]);
    // Nobody claims in this turn any more.
    await expectIdle(tasks, pool);
    expect(transactions(texts).at(-1)).toBe('ROLLBACK');
    expect(await tasks.left()).toEqual(['5:1', '6:1']);
    texts.length = 0;
    await workOne(store);
    await expectIdle(tasks, pool);
    expect(transactions(texts)).toEqual([begin, 'COMMIT']);
  });

  it('is free of the transaction begun ahead before a claim of another form gets it', async () => {
    const tasks = await postgresTasks();
    await addRows(tasks, 3);
    const pool = tasks.pool();
    const database = postgres(pool);
    const store = database.openRowLock(rowLockTasks());
    const advisory = database.openAdvisory(advisoryTasks(), undefined);
    for (let row = 0; row < 3; row += 1) await workOne(store);
    const hold = await claimHold(advisory);
    await until('its transaction is over', async () => (await tasks.held()).transactions === 0);
    expect(await hold.settle('ack')).toEqual(done);
    await expectIdle(tasks, pool);
  });

  it('has settled nothing, and holds nothing, where COMMIT is refused', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = postgres(pool).openRowLock(rowLockTasks());
    await tasks.rows(`
      ALTER TABLE task_notes ALTER CONSTRAINT task_notes_task_id_fkey DEFERRABLE INITIALLY DEFERRED;
      INSERT INTO task_notes VALUES (3)`);
    const texts = spyOn(pool);
    for (let row = 0; row < 2; row += 1) await workOne(store);
    expect(await (await claimHold(store)).settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: false,
      error: { code: '23503' },
    });
    expect(transactions(texts).slice(-2)).toEqual(['COMMIT AND CHAIN', 'ROLLBACK']);
    expect(await tasks.left()).toEqual(['3:1']);
    await expectIdle(tasks, pool);
  });

  it.each([
    ['row-lock', (pool: pg.Pool) => postgres(pool).openRowLock(rowLockTasks())],
    ['advisory', (pool: pg.Pool) => postgres(pool).openAdvisory(advisoryTasks(), undefined)],
  ])('is handed to whoever waits in the pool before the next claim (%s)', async (_, open) => {
    const tasks = await postgresTasks();
    const pool = tasks.pool({ max: 1 });
    const store = open(pool);
    const first = await claimHold(store);
    const order: string[] = [];
    const handler = pool.query('SELECT').then(() => order.push('handler'));
    expect(await first.settle('ack')).toEqual(done);
    const second = await claimHold(store);
    order.push('claim');
    await handler;
    expect(order).toEqual(['handler', 'claim']);
    expect(await second.settle('ack')).toEqual(done);
    await expectIdle(tasks, pool);
  });

  it('goes back to a pool that ends, and is claimed with no more', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const store = postgres(pool).openRowLock(rowLockTasks());
    await workOne(store);
    await workOne(store);
    const ending = pool.end();
    expect(await rejection(store.claim(1, { busy: 1, idle: false }))).toMatchObject({
      code: 'database-closed',
    });
    await ending;
    expect(pool.totalCount).toBe(0);
  });

  it('is not taken over once its session has ended', async () => {
    const tasks = await postgresTasks();
    const pool = tasks.pool();
    const clients: pg.PoolClient[] = [];
    pool.on('acquire', (client) => clients.push(client));
    const store = postgres(pool).openRowLock(rowLockTasks());
    await workOne(store);
    // As the driver says it when the connection breaks; nothing can break within one turn.
    clients[0]?.emit('error', new Error('the connection broke'));
    await workOne(store);
    expect(clients).toHaveLength(2);
    await expectIdle(tasks, pool);
    expect(pool.totalCount).toBe(1);
  });

  it('goes through the pool now and then, and each time where the pool counts its uses', async () => {
    const tasks = await postgresTasks();
    await addRows(tasks, 200);
    const pool = tasks.pool();
    let released = 0;
    pool.on('release', () => (released += 1));
    const store = postgres(pool).openRowLock(rowLockTasks());
    for (let row = 0; row < 102; row += 1) await workOne(store);
    expect(released).toBe(1);
    await expectIdle(tasks, pool);
    const counting = tasks.pool();
    counting.options.maxUses = 2;
    const connected: pg.PoolClient[] = [];
    counting.on('connect', (client) => connected.push(client));
    const counted = postgres(counting).openRowLock(rowLockTasks());
    for (let row = 0; row < 4; row += 1) await workOne(counted);
    expect(connected).toHaveLength(2);
  });
});
