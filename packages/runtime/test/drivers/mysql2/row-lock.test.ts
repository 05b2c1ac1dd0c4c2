import { describe, expect, it } from 'vitest';

import { systemClock } from '../../../src/clock/clock.js';
import { rejection, until } from '../../support/until.js';
import {
  claimed,
  claimedInTheEnd,
  familyJobs,
  interrupted,
  servers,
  watched,
} from './family-jobs.js';

const eager = { busy: 0, idle: false };

describe.each(servers)('a row lock on %s', (server) => {
  it('is held by a READ COMMITTED transaction of its own until the row is settled', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const store = jobs.rowLock(jobs.pool());
    const first = await claimed(store);
    const second = await claimed(store, 1);
    expect(first.cells).toEqual(['1', '2', '1']);
    expect(second.cells).toEqual(['2', '2', '2']);
    expect(first.lockKey).toBeNull();
    expect(await store.claim(1, { busy: 2, idle: false })).toEqual([]);
    const sessions = (await jobs.transactions()).map(({ session }) => session);
    expect(sessions.toSorted()).toEqual([first.session, second.session].toSorted());
    await until('both are READ COMMITTED', async () => {
      const levels = await jobs.rows(
        `SELECT trx_isolation_level FROM information_schema.innodb_trx
         WHERE trx_mysql_thread_id IN (${sessions.join(', ')})`,
      );
      return levels.length === 2 && levels.every(([level]) => level === 'READ COMMITTED');
    });
    expect(await first.settle('ack')).toEqual({ state: 'done', closed: false });
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([['2']]);
    expect(await second.settle('ack')).toEqual({ state: 'done', closed: false });
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([]);
  });

  it.each([
    ['counted', 'retry', '2'],
    ['counted', 'release', '1'],
    ['bare', 'retry', null],
    ['bare', 'release', null],
  ] as const)('of a %s row is free again after a %s', async (table, verb, attempt) => {
    const jobs = await familyJobs(server);
    await jobs.add(table, 1);
    const store = jobs.rowLock(jobs.pool({ connectionLimit: 1 }), {}, table);
    const hold = await claimed(store);
    expect(await hold.settle(verb)).toEqual({ state: 'done', closed: false });
    const again = await claimed(store);
    expect(again.session).toBe(hold.session);
    expect(again.cells).toEqual(
      attempt === null ? ['1', '1'] : ['1', String(Number(attempt) + 1), '1'],
    );
    expect(await again.settle('ack')).toEqual({ state: 'done', closed: false });
    expect(await jobs.rows(`SELECT id FROM ${table}`)).toEqual([]);
  });

  it('is found to be ours where a retry has nothing to change', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    await jobs.rows('UPDATE counted SET attempt = 127').catch(() => undefined);
    const store = jobs.rowLock(jobs.pool({ flags: ['-FOUND_ROWS'] }));
    const hold = await claimed(store);
    expect(hold.cells[1]).toBe('127');
    expect(await hold.settle('retry')).toEqual({ state: 'done', closed: false });
  });

  it('is taken on the first row that is free, however many are locked before it', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 102);
    const other = await jobs.connection();
    // Or the row behind them would be locked, too.
    await other.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await other.beginTransaction();
    await other.query('SELECT id FROM counted WHERE id <= 100 FOR UPDATE');
    const store = jobs.rowLock(jobs.pool());
    const hold = await claimed(store);
    expect(hold.cells[0]).toBe('101');
    await hold.settle('release');
    await other.rollback();
  });

  it('costs one statement to look for where nothing is due', async () => {
    const jobs = await familyJobs(server);
    const texts: string[] = [];
    const pool = watched(jobs.pool(), (sql, run) => {
      texts.push(sql);
      return run();
    });
    const store = jobs.rowLock(pool);
    await store.check();
    expect(await store.claim(1, eager)).toEqual([]);
    texts.length = 0;
    expect(await store.claim(1, { busy: 0, idle: true })).toEqual([]);
    expect(texts).toHaveLength(1);
    await jobs.add('counted', 1);
    const [hold] = await store.claim(1, { busy: 0, idle: true });
    expect(await hold?.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it('ends with its session, which is heard of, and the row is another claim’s', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.rowLock(jobs.pool());
    const hold = await claimed(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await jobs.kill(hold.session);
    await until('it is heard of', () => heard.length > 0);
    expect(heard).toEqual([expect.any(Error)]);
    hold.onEnd((error) => heard.push(error));
    expect(heard).toHaveLength(2);
    const next = await claimed(store);
    expect(await hold.settle('ack')).toEqual({ state: 'lost', error: heard[0], closed: true });
    expect(await next.settle('ack')).toEqual({ state: 'done', closed: false });
    expect(heard).toHaveLength(2);
  });

  it.each([
    'wait_timeout',
    // MariaDB's own.
    ...(server === 'mariadb'
      ? ['idle_transaction_timeout', 'idle_readonly_transaction_timeout']
      : []),
  ])('ends with a session that is idle for longer than its %s', async (setting) => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.rowLock(jobs.pool({}, `SET SESSION ${setting} = 1`));
    const hold = await claimedInTheEnd(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await until('it is heard of', () => heard.length > 0);
    expect(await hold.settle('retry')).toMatchObject({ state: 'lost', closed: true });
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual([['1']]);
  });

  it('tells nobody of its session’s end once the row is settled', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.rowLock(jobs.pool());
    const hold = await claimed(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await hold.settle('release');
    await jobs.kill(hold.session);
    const next = await claimedInTheEnd(store);
    await next.settle('ack');
    expect(heard).toEqual([]);
  });

  it.each([
    ['the claim', /STRAIGHT_JOIN/],
    ['the transaction', /^START TRANSACTION/],
  ])('is not left by a session that is killed before %s', async (_, text) => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = interrupted(jobs.pool(), text, ({ threadId }) => jobs.kill(String(threadId)));
    const store = jobs.rowLock(pool);
    expect(await rejection(store.claim(1, eager))).toBeInstanceOf(Error);
    const hold = await claimed(store);
    expect(await hold.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it.each([
    ['the DELETE', /DELETE/, 'ack', ['lost']],
    ['the UPDATE', /UPDATE counted/, 'retry', ['lost']],
    // The driver may not have heard yet when it sends the COMMIT.
    ['the COMMIT', /^COMMIT/, 'ack', ['lost', 'failed']],
    ['the ROLLBACK', /^ROLLBACK$/, 'release', ['lost']],
  ] as const)('is lost with a session killed before %s', async (_, text, verb, states) => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = interrupted(jobs.pool(), text, ({ threadId }) => jobs.kill(String(threadId)));
    const store = jobs.rowLock(pool);
    const hold = await claimed(store);
    const settled = await hold.settle(verb);
    expect(settled).toMatchObject({ closed: true });
    expect(states).toContain(settled.state);
    if (settled.state === 'failed') expect(settled.ambiguous).toBe(true);
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual([['1']]);
    const next = await claimed(store);
    expect(await next.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it('is given back where the server refuses what the settlement writes', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('bare', 1);
    await (await jobs.connection()).query('INSERT INTO refusals VALUES (1)');
    const store = jobs.rowLock(jobs.pool({ connectionLimit: 1 }), {}, 'bare');
    const hold = await claimed(store);
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      error: { errno: 1451 },
      ambiguous: false,
      closed: false,
    });
    const next = await claimed(store);
    expect(next.session).toBe(hold.session);
    await next.settle('release');
  });

  it('is given back where the settlement waits too long for a lock', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const child = await jobs.connection();
    await child.query('INSERT INTO notes VALUES (1, 1)');
    await child.beginTransaction();
    await child.query('SELECT id FROM notes FOR UPDATE');
    const store = jobs.rowLock(jobs.pool({}, 'SET SESSION innodb_lock_wait_timeout = 1'));
    const hold = await claimed(store);
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      error: { errno: 1205 },
      ambiguous: false,
      closed: false,
    });
    await child.rollback();
    expect(await (await claimed(store)).settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it('is lost where a deadlock rolls its transaction back', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const child = await jobs.connection();
    await child.query('INSERT INTO notes VALUES (1, 1)');
    const store = jobs.rowLock(jobs.pool());
    const hold = await claimed(store);
    await child.beginTransaction();
    await child.query('SELECT id FROM notes WHERE id = 1 FOR UPDATE');
    // The one that has written less gives way.
    const notes = Array.from({ length: 50 }, (_, index) => `(${index + 2}, 2)`);
    await child.query(`INSERT INTO notes VALUES ${notes.join(', ')}`);
    const waiting = child.query('SELECT id FROM counted WHERE id = 1 FOR UPDATE');
    await until('it waits', async () => (await jobs.transactions()).some(({ waits }) => waits));
    expect(await hold.settle('ack')).toMatchObject({
      state: 'lost',
      error: { errno: 1213 },
      closed: false,
    });
    await waiting;
    await child.rollback();
    expect(await jobs.rows('SELECT attempt FROM counted WHERE id = 1')).toEqual([['1']]);
  });

  it('is not waited for longer than the answer timeout, and its session ended', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const child = await jobs.connection();
    await child.query('INSERT INTO notes VALUES (1, 1)');
    await child.beginTransaction();
    await child.query('SELECT id FROM notes FOR UPDATE');
    const store = jobs.rowLock(jobs.pool(), { answerTimeout: '2s' });
    const hold = await claimedInTheEnd(store);
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: false,
      closed: true,
    });
    // The child still has what the DELETE waits for: only a KILL ends it.
    await until('its session is gone', async () => {
      const sessions = await jobs.rows(
        `SELECT 1 FROM information_schema.processlist WHERE id = ${hold.session}`,
      );
      return sessions.length === 0;
    });
    await child.rollback();
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual([['1']]);
  });

  it('is released within five seconds, if need be by ending the session', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      after: (milliseconds: number, run: () => void) => {
        waits.push(milliseconds);
        return systemClock.after(milliseconds / 20, run);
      },
    };
    const frozen = watched(jobs.pool(), (sql, run) =>
      sql === 'ROLLBACK' ? new Promise(() => undefined) : run(),
    );
    const hold = await claimed(jobs.rowLock(frozen, { clock }));
    waits.length = 0;
    expect(await hold.settle('release')).toEqual({ state: 'done', closed: true });
    expect(waits[0]).toBeLessThanOrEqual(5_000);
    const next = await claimed(jobs.rowLock(jobs.pool()));
    await next.settle('ack');
  });

  it('is not waited for where the pool has no connection left', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = jobs.pool({ connectionLimit: 1 });
    const store = jobs.rowLock(pool, { answerTimeout: '300ms' });
    const connection = await pool.getConnection();
    expect(await rejection(store.claim(1, eager))).toMatchObject({
      message: 'The pool handed out no connection within 300 ms.',
    });
    connection.release();
    // The connection that came too late is in the pool again.
    const hold = await claimed(jobs.rowLock(pool));
    expect(await hold.settle('ack')).toEqual({ state: 'done', closed: false });
  });
});
