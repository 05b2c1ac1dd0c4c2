import { createPool } from 'mysql2';
import { describe, expect, it } from 'vitest';

import { systemClock, type Clock } from '../../../src/clock/clock.js';
import { mysqlConnections } from '../../../src/drivers/mysql2/connections.js';
import { mariadb, mysql, type MysqlPool } from '../../../src/drivers/mysql2/index.js';
import { mysqlServer } from '../../../src/drivers/mysql2/server.js';
import type { MysqlLeaseStatements } from '../../../src/spec.js';
import type { ListStatement, Statement } from '../../../src/statement.js';
import { rejection, until } from '../../support/until.js';
import { familyJobs, servers } from './family-jobs.js';

describe('the connections that rows in work may hold', () => {
  it.each([
    ['the driver’s default', {}, 10, 9],
    ['a limit', { connectionLimit: 4 }, 4, 3],
    ['one connection', { connectionLimit: 1 }, 1, 1],
    ['no limit', { connectionLimit: 0 }, Infinity, Infinity],
  ])('are those of the pool less one: %s', async (_, options, size, most) => {
    // No connection is opened.
    const pool = createPool({ host: '127.0.0.1', ...options });
    for (const given of [pool, pool.promise()]) {
      const { connections } = mysql(given);
      expect(connections.poolSize).toBe(size);
      expect(connections.most).toBe(most);
      expect(connections.limit).toBeUndefined();
    }
    expect(mysql(pool, { connectionLimit: 3 }).connections.limit).toBe(3);
    expect(() => mysql(pool, { connectionLimit: 0 })).toThrow('"connectionLimit" is 0');
    await pool.promise().end();
  });

  it('are one account for all that stand before the same pool', async () => {
    const pool = createPool({ host: '127.0.0.1', connectionLimit: 4 });
    const other = createPool({ host: '127.0.0.1', connectionLimit: 4 });
    const [first, ...others] = [pool, pool, pool.promise(), pool.promise()].map(
      (given) => mysql(given).connections,
    );
    expect(first?.take(2)).toBe(2);
    let told = 0;
    for (const connections of others) connections.whenFree(() => (told += 1));
    expect(others.map((connections) => connections.take(2))).toEqual([1, 0, 0]);
    expect(mariadb(pool).connections.take(1)).toBe(0);
    expect(mysql(other).connections.take(4)).toBe(3);
    first?.giveBack(1);
    expect(told).toBe(3);
    expect(mariadb(pool).connections.take(2)).toBe(1);
    await Promise.all([pool.promise().end(), other.promise().end()]);
  });

  it('are listened for once, however often their pool is given', async () => {
    const pool = createPool({ host: '127.0.0.1' });
    for (let time = 0; time < 12; time += 1) {
      mysql(pool);
      mariadb(pool.promise());
    }
    expect(pool.eventNames().map((event) => [event, pool.listenerCount(event)])).toEqual([
      ['enqueue', 1],
      ['release', 1],
    ]);
    await pool.promise().end();
  });
});

/** Statements of a lease table that nobody executes. */
function unusedLeaseStatements(): MysqlLeaseStatements {
  const text = 'DO 0';
  const one: Statement = { text, values: [] };
  const list: ListStatement = { text: () => text, values: [], each: [] };
  return {
    due: one,
    claim: one,
    stamp: list,
    own: list,
    seen: list,
    extend: list,
    ack: list,
    retry: list,
    release: list,
    insert: list,
  };
}

describe('an extension that is not answered', () => {
  it.each([
    ['20s', 8_000, 2_000],
    ['1500ms', 8_000, 1_500],
    ['20s', 100, 1_000],
  ] as const)(
    'is given up in time (answerTimeout %s, lease %d)',
    async (answerTimeout, lease, wait) => {
      const waits: number[] = [];
      const clock = {
        ...systemClock,
        after: (milliseconds: number, run: () => void) => {
          waits.push(milliseconds);
          return systemClock.after(milliseconds / 20, run);
        },
      };
      const never = (): Promise<never> => new Promise(() => undefined);
      const pool: MysqlPool = {
        getConnection: () =>
          Promise.resolve({
            execute: never,
            query: never,
            prepare: never,
            unprepare: never,
            release: () => undefined,
            destroy: () => undefined,
          }),
      };
      const store = mysql(pool, { answerTimeout, clock }).openLease({
        queue: 'Job',
        table: 'jobs',
        keyWidth: 1,
        counted: false,
        hostClock: false,
        statements: { mysql: unusedLeaseStatements() },
      });
      const settled = await store.settle([{ verb: 'extend', fence: ['1', 'held'], lease }]);
      expect(settled).toMatchObject([{ state: 'failed', transient: true, ambiguous: false }]);
      expect(waits).toContain(wait);
    },
  );
});

describe('what is waited for on a connection', () => {
  it('leaves no timer where it throws at once, and one that keeps the process where it waits', async () => {
    const timers = new Set<string>();
    const clock: Clock = {
      ...systemClock,
      after(milliseconds) {
        const name = `${milliseconds} ms`;
        timers.add(name);
        return {
          cancel: () => timers.delete(name),
          unref: () => timers.delete(name),
        };
      },
    };
    const never = (): Promise<never> => new Promise(() => undefined);
    const connection = {
      ...{ execute: never, query: never, prepare: never, unprepare: never },
      ...{ release: () => undefined, destroy: () => undefined },
    };
    const pool: MysqlPool = { getConnection: () => Promise.resolve(connection) };
    const held = await mysqlConnections(pool, mysqlServer, clock).checkOut(1_000);
    expect([...timers]).toEqual([]);
    const thrown = held.within(2_000, () => {
      throw new Error('at once');
    });
    expect(await rejection(thrown)).toMatchObject({ message: 'at once' });
    expect([...timers]).toEqual([]);
    void held.within(3_000, never);
    expect([...timers]).toEqual(['3000 ms']);
  });
});

describe.each(servers)('a session on %s', (server) => {
  it('is ended with what it waits for, when its answer is no longer waited for', async () => {
    const jobs = await familyJobs(server);
    const other = await jobs.connection();
    await other.query('LOCK TABLES counted WRITE');
    const store = jobs.rowLock(jobs.pool(), { answerTimeout: '2s' });
    expect(await rejection(store.insert([['late']]))).toMatchObject({
      message: 'The server did not answer within 2000 ms.',
    });
    await until('nobody waits for the table', async () => {
      const waiting = await jobs.rows(
        `SELECT 1 FROM information_schema.processlist
         WHERE db = '${jobs.schema}' AND state LIKE 'Waiting for%'`,
      );
      return waiting.length === 0;
    });
    await other.query('UNLOCK TABLES');
    expect(await jobs.rows('SELECT payload FROM counted')).toEqual([]);
  });

  it('is nobody’s any more when its pool has been ended', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const pool = jobs.pool();
    const store = jobs.advisory(pool);
    const [hold] = await store.claim(1, { busy: 0, idle: false });
    const heard: unknown[] = [];
    hold?.onEnd((error) => heard.push(error));
    await pool.end();
    await until('it is heard of', () => heard.length > 0);
    expect(await hold?.settle('ack')).toMatchObject({ state: 'lost', closed: true });
    expect(await rejection(store.claim(1, { busy: 0, idle: false }))).toMatchObject({
      code: 'database-closed',
    });
  });
});
