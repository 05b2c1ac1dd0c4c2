import type Database from 'better-sqlite3';
import type mysql from 'mysql2/promise';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgres } from '../../src/drivers/pg/index.js';
import { ack, drop, retry, type OwnLock } from '../../src/index.js';
import { AdvisoryQueue, RowLockQueue } from '../../src/v1.js';
import { JobQueue } from '../support/jobs.js';
import { keyedSpec, lockedSpec } from '../support/task-queues.js';

/**
 * What compiles and what does not is checked by the type checker (`npm run lint`); that the file runs
 * shows only that nothing here does any I/O.
 */
describe('the types', () => {
  // No pool: every use is refused, and nothing is asked of a server.
  const database = postgres({} as never);
  const options = { on: () => undefined };

  it('let a lease delay a retry, and a row that is held not', async () => {
    const locked = new RowLockQueue(database, lockedSpec);
    const keyed = new AdvisoryQueue(database, keyedSpec);
    const workers = [
      new JobQueue(database).work(() => retry({ after: '5m' }), options),
      new JobQueue(database).work(async () => Promise.resolve(retry()), { ...options, lease: 9 }),
      locked.work(() => retry(), options),
      locked.work(async ({ id }) => Promise.resolve(id > 1n ? ack() : drop('odd')), options),
      keyed.work(async () => Promise.resolve(), options),
      // @ts-expect-error a row lock has nowhere to write a delay
      locked.work(() => retry({ after: '5m' }), options),
      // @ts-expect-error nor has a promise of it
      locked.work(async () => Promise.resolve(retry({ after: 5 })), options),
      // @ts-expect-error nor has an advisory lock
      keyed.work(() => (Math.random() > 2 ? ack() : retry({ after: '5m' })), options),
      // @ts-expect-error a row lock is not taken for a lease
      locked.work(() => undefined, { ...options, lease: '5m' }),
    ];
    const ready = await Promise.allSettled(workers.map((worker) => worker.ready));
    expect(ready.map(({ status }) => status)).toEqual(workers.map(() => 'rejected'));
  });

  it('give a handler the key of its lock in advisory form only', () => {
    const locked = new RowLockQueue(database, lockedSpec);
    const keyed = new AdvisoryQueue(database, keyedSpec);
    const started = [
      keyed.work((_row, { lockKey }) => {
        expect(lockKey.length).toBeGreaterThan(0);
      }, options),
      // @ts-expect-error there is none
      locked.work((_row, delivery: { readonly lockKey: string }) => {
        expect(delivery.lockKey).toBeUndefined();
      }, options),
      // @ts-expect-error nor in a lease
      new JobQueue(database).work((_row, delivery: { readonly lockKey: string }) => {
        expect(delivery.lockKey).toBeUndefined();
      }, options),
    ];
    expect(started).toHaveLength(3);
  });

  it('take functions of the drivers’ own connections as an own lock', () => {
    const postgresLock: OwnLock<'postgres'> = {
      lock: async (client: pg.PoolClient, key: string) =>
        (
          await client.query<{ ok: boolean }>('SELECT pg_try_advisory_lock($1::bigint) AS ok', [
            key,
          ])
        ).rows[0]?.ok === true,
      unlock: async (client: pg.PoolClient, key) => {
        await client.query('SELECT pg_advisory_unlock($1::bigint)', [key]);
        return true;
      },
    };
    const mysqlLock: OwnLock<'mysql' | 'mariadb'> = {
      lock: async (connection: mysql.PoolConnection, key: string) => {
        const [rows] = await connection.query<mysql.RowDataPacket[]>(
          'SELECT GET_LOCK(?, 0) AS ok',
          [key],
        );
        return rows[0]?.['ok'] === 1;
      },
      unlock: async (connection: mysql.Connection, key) => {
        await connection.query('DO RELEASE_LOCK(?)', [key]);
        return true;
      },
    };
    const locked = new Set<string>();
    const sqliteLock: OwnLock<'sqlite'> = {
      lock: (_database: Database.Database, key) => {
        const free = !locked.has(key);
        locked.add(key);
        return Promise.resolve(free);
      },
      unlock: (_database, key) => Promise.resolve(locked.delete(key)),
    };
    // @ts-expect-error a lock that waits for nothing still has to answer
    const silent: OwnLock<'postgres'> = { ...postgresLock, unlock: async () => Promise.resolve() };
    const mysqlTry = (client: mysql.PoolConnection): Promise<boolean> => mysqlLock.lock(client, '');
    // @ts-expect-error another driver's connection
    const foreign: OwnLock<'postgres'> = { ...postgresLock, lock: mysqlTry };
    const queue = new AdvisoryQueue(database, keyedSpec, {}, postgresLock);
    expect([queue, mysqlLock, sqliteLock, silent, foreign]).toHaveLength(5);
  });
});
