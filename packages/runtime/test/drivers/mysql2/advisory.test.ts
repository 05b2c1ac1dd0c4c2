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
const done = { state: 'done', closed: false };

describe.each(servers)('an advisory lock on %s', (server) => {
  it('is held by one session until the row is settled, and no transaction with it', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const store = jobs.advisory(jobs.pool());
    const first = await claimed(store);
    const second = await claimed(store, 1);
    expect(first.cells).toEqual(['1', '2', '1']);
    expect(second.cells).toEqual(['2', '2', '2']);
    expect(first.lockKey).toBe('job-1');
    expect(await store.claim(1, { busy: 2, idle: false })).toEqual([]);
    expect(await jobs.holderOf('job-1')).toBe(first.session);
    expect(await jobs.holderOf('job-2')).toBe(second.session);
    expect(await jobs.transactions()).toEqual([]);
    expect(await first.settle('ack')).toEqual(done);
    expect(await jobs.holderOf('job-1')).toBeNull();
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([['2']]);
    expect(await second.settle('ack')).toEqual(done);
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([]);
  });

  it.each([
    ['counted', 'retry', '3'],
    ['counted', 'release', '2'],
    ['bare', 'retry', null],
    ['bare', 'release', null],
  ] as const)('of a %s row is free again after a %s', async (table, verb, attempt) => {
    const jobs = await familyJobs(server);
    await jobs.add(table, 1);
    const store = jobs.advisory(jobs.pool({ connectionLimit: 1 }), {}, table);
    const hold = await claimed(store);
    expect(await hold.settle(verb)).toEqual(done);
    expect(await jobs.holderOf('job-1')).toBeNull();
    const again = await claimed(store);
    expect(again.session).toBe(hold.session);
    expect(again.cells).toEqual(attempt === null ? ['1', '1'] : ['1', attempt, '1']);
    expect(await again.settle('ack')).toEqual(done);
    expect(await jobs.rows(`SELECT id FROM ${table}`)).toEqual([]);
  });

  it('is taken on a row whose count can rise no more', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    await jobs.rows('UPDATE counted SET attempt = 127');
    const hold = await claimed(jobs.advisory(jobs.pool({ flags: ['-FOUND_ROWS'] })));
    expect(hold.cells[1]).toBe('127');
    expect(await hold.settle('ack')).toEqual(done);
  });

  it('is taken past the keys that others have locked', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 45);
    const other = await jobs.connection();
    for (let id = 1; id <= 40; id += 1) {
      await other.query(`SELECT GET_LOCK('${jobs.schema}.job-${id}', 0)`);
    }
    const hold = await claimed(jobs.advisory(jobs.pool()));
    expect(hold.cells[0]).toBe('41');
    await hold.settle('release');
    await other.query('SELECT RELEASE_ALL_LOCKS()');
  });

  it('is looked for again at once where others were faster with every candidate', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 40);
    let faster = 0;
    const pool = watched(jobs.pool(), (sql, run) =>
      sql.includes('GET_LOCK') && (faster += 1) <= 2 ? Promise.resolve([[], []]) : run(),
    );
    const hold = await claimed(jobs.advisory(pool));
    expect(hold.cells[0]).toBe('1');
    await hold.settle('release');
  });

  it('costs one statement to look for where nothing is due', async () => {
    const jobs = await familyJobs(server);
    const texts: string[] = [];
    const pool = watched(jobs.pool(), (sql, run) => {
      texts.push(sql);
      return run();
    });
    const store = jobs.advisory(pool);
    await store.check();
    expect(await store.claim(1, eager)).toEqual([]);
    texts.length = 0;
    expect(await store.claim(1, { busy: 0, idle: true })).toEqual([]);
    expect(texts).toHaveLength(1);
    await jobs.add('counted', 1);
    const [hold] = await store.claim(1, { busy: 0, idle: true });
    expect(await hold?.settle('ack')).toEqual(done);
  });

  it.each(['counted', 'bare'] as const)(
    'of a %s row that was settled meanwhile is given back, and the next one taken',
    async (table) => {
      const jobs = await familyJobs(server);
      await jobs.add(table, 2);
      const look = table === 'counted' ? /UPDATE counted/ : /FOR UPDATE/;
      const pool = interrupted(jobs.pool(), look, () =>
        jobs.rows(`DELETE FROM ${table} WHERE id = 1`),
      );
      const hold = await claimed(jobs.advisory(pool, {}, table));
      expect(hold.cells[0]).toBe('2');
      expect(await jobs.holderOf('job-1')).toBeNull();
      expect(await hold.settle('ack')).toEqual(done);
    },
  );

  it('ends with its session, which is heard of, and the row is another claim’s', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.advisory(jobs.pool());
    const hold = await claimed(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await jobs.kill(hold.session);
    await until('it is heard of', () => heard.length > 0);
    const next = await claimed(store);
    expect(next.cells[1]).toBe('3');
    expect(await hold.settle('ack')).toEqual({ state: 'lost', error: heard[0], closed: true });
    expect(await next.settle('ack')).toEqual(done);
  });

  it('ends with a session that the server takes for idle', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('bare', 1);
    const store = jobs.advisory(jobs.pool({}, 'SET SESSION wait_timeout = 1'), {}, 'bare');
    const hold = await claimedInTheEnd(store);
    const heard: unknown[] = [];
    hold.onEnd((error) => heard.push(error));
    await until('it is heard of', () => heard.length > 0);
    expect(await hold.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await jobs.rows('SELECT id FROM bare')).toEqual([['1']]);
  });

  it.each([
    ['the claim', /GET_LOCK/],
    ['the count', /UPDATE counted/],
    ['the take', /^\s*SELECT\s+CAST\(id AS CHAR\),\s+CAST\(attempt/],
  ])('is not left by a session that is killed before %s', async (_, text) => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = interrupted(jobs.pool(), text, ({ threadId }) => jobs.kill(String(threadId)));
    const store = jobs.advisory(pool);
    expect(await rejection(store.claim(1, eager))).toBeInstanceOf(Error);
    expect(await jobs.holderOf('job-1')).toBeNull();
    const hold = await claimed(store);
    expect(await hold.settle('ack')).toEqual(done);
  });

  it.each([
    ['the DELETE', /DELETE/, 'ack', ['lost', 'failed'], [['2']]],
    ['the UPDATE', /attempt - 1/, 'release', ['lost', 'failed'], [['2']]],
    ['the unlock of an ack', /RELEASE_LOCK/, 'ack', ['done'], []],
    ['the unlock of a retry', /RELEASE_LOCK/, 'retry', ['lost'], [['2']]],
  ] as const)('is lost with a session killed before %s', async (_, text, verb, states, rows) => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = interrupted(jobs.pool(), text, ({ threadId }) => jobs.kill(String(threadId)));
    const hold = await claimed(jobs.advisory(pool));
    const settled = await hold.settle(verb);
    expect(settled).toMatchObject({ closed: true });
    expect(states).toContain(settled.state);
    // What went with the connection may have been done, as far as the driver knows.
    if (settled.state === 'failed') expect(settled.ambiguous).toBe(true);
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual(rows);
    expect(await jobs.holderOf('job-1')).toBeNull();
  });

  it.each([
    ['counted', 'ack', 'DELETE FROM counted'],
    ['counted', 'release', 'attempt - 1'],
    ['bare', 'ack', 'DELETE FROM bare'],
    ['counted', 'retry', 'RELEASE_LOCK'],
    ['bare', 'release', 'RELEASE_LOCK'],
  ] as const)('of a %s row that is gone is found out by %s', async (table, verb, text) => {
    const jobs = await familyJobs(server);
    await jobs.add(table, 1);
    const pool = interrupted(jobs.pool(), new RegExp(text), (connection) =>
      connection.query({ sql: 'DO RELEASE_ALL_LOCKS()' } as never),
    );
    const hold = await claimed(jobs.advisory(pool, {}, table));
    const before = await jobs.rows(`SELECT * FROM ${table}`);
    expect(await hold.settle(verb)).toMatchObject({ state: 'lost', closed: true });
    expect(await jobs.rows(`SELECT * FROM ${table}`)).toEqual(before);
    await until('the session is gone', async () => {
      const sessions = await jobs.rows(
        `SELECT 1 FROM information_schema.processlist WHERE id = ${hold.session}`,
      );
      return sessions.length === 0;
    });
  });

  it('does not make a row ours that was delivered again behind it', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.advisory(jobs.pool());
    const hold = await claimed(store);
    await jobs.rows('UPDATE counted SET attempt = attempt + 1');
    expect(await hold.settle('ack')).toMatchObject({
      state: 'lost',
      unwritten: true,
      closed: false,
    });
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual([['3']]);
    expect(await jobs.holderOf('job-1')).toBeNull();
  });

  it('is given back where the server refuses what the settlement writes', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('bare', 1);
    await (await jobs.connection()).query('INSERT INTO refusals VALUES (1)');
    const store = jobs.advisory(jobs.pool({ connectionLimit: 1 }), {}, 'bare');
    const hold = await claimed(store);
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      error: { errno: 1451 },
      ambiguous: false,
      closed: false,
    });
    expect(await jobs.holderOf('job-1')).toBeNull();
    const next = await claimed(store);
    expect(next.session).toBe(hold.session);
    await next.settle('release');
  });

  it('is held on while a settlement that gave way is tried again', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const child = await jobs.connection();
    await child.query('INSERT INTO notes VALUES (1, 1)');
    await child.beginTransaction();
    await child.query('SELECT id FROM notes FOR UPDATE');
    let deletes = 0;
    const pool = watched(
      jobs.pool({}, 'SET SESSION innodb_lock_wait_timeout = 1'),
      async (sql, run) => {
        if (sql.includes('DELETE') && (deletes += 1) === 2) {
          expect(await jobs.holderOf('job-1')).toBe(hold.session);
          await child.rollback();
        }
        return run();
      },
    );
    const hold = await claimed(jobs.advisory(pool));
    expect(await hold.settle('ack')).toEqual(done);
    expect(deletes).toBe(2);
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([]);
  });

  it('is not waited for longer than the answer timeout, and its session ended', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const child = await jobs.connection();
    await child.query('INSERT INTO notes VALUES (1, 1)');
    await child.beginTransaction();
    await child.query('SELECT id FROM notes FOR UPDATE');
    const hold = await claimedInTheEnd(jobs.advisory(jobs.pool(), { answerTimeout: '2s' }));
    expect(await hold.settle('ack')).toMatchObject({
      state: 'failed',
      ambiguous: true,
      closed: true,
    });
    // The child still has what the DELETE waits for: only a KILL ends it.
    await until('the lock is free', async () => (await jobs.holderOf('job-1')) === null);
    await child.rollback();
    expect(await jobs.rows('SELECT attempt FROM counted')).toEqual([[hold.cells[1]]]);
  });

  it.each(['attempt - 1', 'RELEASE_LOCK'])(
    'is released within five seconds, if need be by ending the session (no answer to %s)',
    async (text) => {
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
        sql.includes(text) ? new Promise(() => undefined) : run(),
      );
      const hold = await claimed(jobs.advisory(frozen, { clock }));
      waits.length = 0;
      expect(await hold.settle('release')).toMatchObject({ closed: true });
      expect(waits[0]).toBeLessThanOrEqual(5_000);
      await until('the lock is free', async () => (await jobs.holderOf('job-1')) === null);
    },
  );
});
