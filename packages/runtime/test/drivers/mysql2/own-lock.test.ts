import { describe, expect, it } from 'vitest';

import { systemClock, type Clock } from '../../../src/clock/clock.js';
import type { OwnLock } from '../../../src/drivers/own-lock.js';
import { rejection, until } from '../../support/until.js';
import { claimed, familyJobs, servers, watched, type FamilyJobs } from './family-jobs.js';

const eager = { busy: 0, idle: false };
const done = { state: 'done', closed: false };

type Lock = OwnLock<'mysql' | 'mariadb'>;

/** The lock that the driver's own form would take, as an author's functions. */
function functionsOf(jobs: FamilyJobs, change: Partial<Lock> = {}): Lock {
  const ask = async (
    connection: Parameters<Lock['lock']>[0],
    sql: string,
    key: string,
  ): Promise<boolean> => {
    const [rows] = await connection.query(sql, [`${jobs.schema}.${key}`]);
    return (rows as readonly { readonly answer: number }[])[0]?.answer === 1;
  };
  return {
    lock: (connection, key) => ask(connection, 'SELECT GET_LOCK(?, 0) AS answer', key),
    unlock: (connection, key) => ask(connection, 'SELECT RELEASE_LOCK(?) AS answer', key),
    ...change,
  };
}

/** Whether a session is on the server. */
const lives = async (jobs: FamilyJobs, session: string): Promise<boolean> =>
  (await jobs.rows(`SELECT 1 FROM information_schema.processlist WHERE id = ${session}`)).length >
  0;

describe.each(servers)('a lock of the author’s own on %s', (server) => {
  describe.each(['SQL', 'functions'] as const)('in %s', (kind) => {
    const functions = (jobs: FamilyJobs): Lock | undefined =>
      kind === 'SQL' ? undefined : functionsOf(jobs);

    it.each(['counted', 'bare'] as const)('holds %s rows until they are settled', async (table) => {
      const jobs = await familyJobs(server);
      await jobs.add(table, 3);
      const store = jobs.ownLock(jobs.pool(), functions(jobs), {}, table);
      await store.check();
      const first = await claimed(store);
      const second = await claimed(store, 1);
      const third = await claimed(store, 2);
      expect([first, second, third].map(({ lockKey }) => lockKey)).toEqual([
        'job-1',
        'job-2',
        'job-3',
      ]);
      expect(await store.claim(1, { busy: 3, idle: false })).toEqual([]);
      expect(await jobs.holderOf('job-2')).toBe(second.session);
      expect(await jobs.transactions()).toEqual([]);
      expect(await first.settle('ack')).toEqual(done);
      expect(await second.settle('retry')).toEqual(done);
      expect(await third.settle('release')).toEqual(done);
      expect(await jobs.rows(`SELECT * FROM ${table}`)).toEqual(
        table === 'counted'
          ? [
              ['2', '2', '2'],
              ['3', '1', '3'],
            ]
          : [
              ['2', '2'],
              ['3', '3'],
            ],
      );
    });

    it('is passed by where somebody else holds it, however many', async () => {
      const jobs = await familyJobs(server);
      await jobs.add('counted', 45);
      const other = await jobs.connection();
      for (let id = 1; id <= 40; id += 1) {
        await other.query(`SELECT GET_LOCK('${jobs.schema}.job-${id}', 0)`);
      }
      const hold = await claimed(jobs.ownLock(jobs.pool(), functions(jobs)));
      expect(hold.lockKey).toBe('job-41');
      await hold.settle('release');
      await other.query('SELECT RELEASE_ALL_LOCKS()');
    });

    it('is not asked for on a row that was settled meanwhile a second time', async () => {
      const jobs = await familyJobs(server);
      await jobs.add('counted', 2);
      let counted = false;
      const pool = watched(jobs.pool(), async (sql, run) => {
        if (!counted && sql.includes('UPDATE counted')) {
          counted = true;
          await jobs.rows('DELETE FROM counted WHERE id = 1');
        }
        return run();
      });
      const hold = await claimed(jobs.ownLock(pool, functions(jobs)));
      expect(hold.lockKey).toBe('job-2');
      expect(await jobs.holderOf('job-1')).toBeNull();
      await hold.settle('ack');
    });

    it('commits what it writes where nothing commits by itself', async () => {
      const jobs = await familyJobs(server);
      await jobs.add('counted', 2);
      const pool = jobs.pool({}, 'SET SESSION autocommit = 0');
      const store = jobs.ownLock(pool, functions(jobs));
      const first = await claimed(store);
      expect(await jobs.rows('SELECT attempt FROM counted WHERE id = 1')).toEqual([['2']]);
      const second = await claimed(store, 1);
      expect(await first.settle('ack')).toEqual(done);
      expect(await second.settle('release')).toEqual(done);
      expect(await jobs.rows('SELECT id, attempt FROM counted')).toEqual([['2', '1']]);
    });
  });

  it('that throws ends its connection and the claim', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const sessions: string[] = [];
    const store = jobs.ownLock(
      jobs.pool(),
      functionsOf(jobs, {
        lock: async (connection, key) => {
          await functionsOf(jobs).lock(connection, key);
          sessions.push((await jobs.holderOf(key)) ?? '');
          throw new Error('no lock today');
        },
      }),
    );
    expect(await rejection(store.claim(1, eager))).toMatchObject({
      code: 'own-lock-failed',
      message: expect.stringContaining('the lock of table counted failed: no lock today') as string,
    });
    await until('its session is gone', async () => !(await lives(jobs, sessions[0] ?? '0')));
    expect(await jobs.holderOf('job-1')).toBeNull();
  });

  const answersFalse = { message: expect.stringContaining('did not hold it') as string };
  const throws = {
    code: 'own-lock-failed',
    message: expect.stringContaining('no unlock today') as string,
  };
  const unlocks = {
    'answers false': () => Promise.resolve(false),
    throws: () => Promise.reject(new Error('no unlock today')),
    'throws at once': () => {
      throw new Error('no unlock today');
    },
  };

  it.each([
    ['counted', 'answers false', 'ack', answersFalse, []],
    ['counted', 'throws', 'ack', throws, []],
    ['counted', 'throws at once', 'ack', throws, []],
    ['counted', 'answers false', 'release', answersFalse, [['1', '1']]],
    ['counted', 'throws', 'release', throws, [['1', '1']]],
    ['counted', 'throws', 'retry', throws, [['1', '2']]],
    ['counted', 'throws at once', 'retry', throws, [['1', '2']]],
    ['bare', 'throws', 'release', throws, [['1', '1']]],
  ] as const)(
    'tells why a row of %s is not unlocked, where that %s after its %s',
    async (table, how, verb, problem, left) => {
      const jobs = await familyJobs(server);
      await jobs.add(table, 1);
      const functions = functionsOf(jobs, { unlock: unlocks[how] });
      const hold = await claimed(jobs.ownLock(jobs.pool(), functions, {}, table));
      const settled = await hold.settle(verb);
      expect(settled).toMatchObject({ state: 'done', closed: true, unlockProblem: problem });
      await until('its session is gone', async () => !(await lives(jobs, hold.session)));
      const cells = table === 'counted' ? 'id, attempt' : 'id, payload';
      expect(await jobs.rows(`SELECT ${cells} FROM ${table}`)).toEqual(left);
    },
  );

  it.each([
    ['counted', 'retry'],
    ['bare', 'release'],
  ] as const)('was lost where unlocking is all of a %s %s, and is false', async (table, verb) => {
    const jobs = await familyJobs(server);
    await jobs.add(table, 1);
    const functions = functionsOf(jobs, { unlock: unlocks['answers false'] });
    const hold = await claimed(jobs.ownLock(jobs.pool(), functions, {}, table));
    const settled = await hold.settle(verb);
    expect(settled).toEqual({ state: 'lost', error: expect.any(Error) as Error, closed: true });
    await until('its session is gone', async () => !(await lives(jobs, hold.session)));
  });

  it('was lost where its session ends while it is unlocked', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    let session = '';
    const functions = functionsOf(jobs, {
      unlock: async (connection, key) => {
        await jobs.kill(session);
        return functionsOf(jobs).unlock(connection, key);
      },
    });
    const hold = await claimed(jobs.ownLock(jobs.pool(), functions));
    ({ session } = hold);
    const settled = await hold.settle('retry');
    expect(settled).toEqual({ state: 'lost', error: expect.any(Error) as Error, closed: true });
  });

  it('whose unlock never answers is told of after the answer timeout', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const functions = functionsOf(jobs, { unlock: () => new Promise(() => undefined) });
    let haste = 1;
    const clock: Clock = {
      ...systemClock,
      after: (milliseconds, run) => systemClock.after(milliseconds / haste, run),
    };
    const hold = await claimed(jobs.ownLock(jobs.pool(), functions, { clock }));
    haste = 100;
    expect(await hold.settle('retry')).toMatchObject({
      ...{ state: 'done', closed: true },
      unlockProblem: { message: expect.stringMatching(/^The server did not answer/) as string },
    });
  });

  it('that never answers is given up after the answer timeout', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const store = jobs.ownLock(
      jobs.pool(),
      functionsOf(jobs, { lock: () => new Promise(() => undefined) }),
      { answerTimeout: '500ms' },
    );
    expect(await rejection(store.claim(1, eager))).toMatchObject({
      message: 'The server did not answer within 500 ms.',
    });
  });
});
