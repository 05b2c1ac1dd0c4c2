import { createPool } from 'mysql2/promise';
import pg from 'pg';
import { mariadb, mysql } from 'inbox-runtime/mysql2';
import type { MysqlPool } from 'inbox-runtime/mysql2';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { FamilyBench } from '../../databases/mysql-family.js';
import { HeldTextQueue, JobQueue } from '../../generated/index.js';
import { gate, openStand, until } from '../support.js';
import { watchedPool } from './watched-pool.js';

const other = {
  mysql: { variable: 'MARIADB_URL', says: /mysql\(\) .*MariaDB.*mariadb\(pool\)/ },
  mariadb: { variable: 'MYSQL_URL', says: /mariadb\(\) .*not MariaDB.*mysql\(pool\)/ },
} as const;

/** A server that says it is of another version. */
function aged(pool: MysqlPool, version: string): MysqlPool {
  return watchedPool(pool, async (sql, run) => {
    const answer = await run();
    if (!sql.includes('VERSION()')) return answer;
    const [rows, fields] = answer as readonly [string[][], unknown];
    return [rows.map(([, ...others]) => [version, ...others]), fields];
  });
}

/** What `ready` says about a server or a pool that will not do. */
export function describeFamilyStarting(bench: FamilyBench): void {
  describe(`starting on ${bench.name}`, () => {
    it.each(
      { mysql: ['8.0.0', '5.7.44-log'], mariadb: ['10.5.28-MariaDB', '10.3.39-MariaDB-log'] }[
        bench.name
      ],
    )('refuses a server of version %s', async (version) => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.over(aged(stand.pool(), version)));
      await expect(queue.check()).rejects.toMatchObject({
        code: 'server-too-old',
        queue: 'Job',
        message: expect.stringContaining(version) as string,
      });
    });

    it('takes the oldest version that will do', async () => {
      const stand = await openStand(bench);
      const version = { mysql: '8.0.1', mariadb: '10.6.0-MariaDB' }[bench.name];
      const queue = new JobQueue(stand.over(aged(stand.pool(), version)));
      await expect(queue.check()).resolves.toBeUndefined();
    });

    it('refuses the other server, and says what to use', async () => {
      const stand = await openStand(bench);
      const { variable, says } = other[bench.name];
      const pool = createPool({ uri: process.env[variable] ?? '' });
      onTestFinished(() => pool.end());
      await expect(new JobQueue(stand.over(pool)).check()).rejects.toMatchObject({
        code: 'wrong-database',
        queue: 'Job',
        message: expect.stringMatching(says) as string,
      });
    });

    it('refuses a pool that was ended', async () => {
      const stand = await openStand(bench);
      const pool = stand.pool();
      await pool.end();
      const queue = new JobQueue(stand.over(pool));
      await expect(queue.check()).rejects.toMatchObject({ code: 'database-closed', queue: 'Job' });
      await expect(queue.claim()).rejects.toMatchObject({ code: 'database-closed', queue: 'Job' });
      await expect(queue.work(() => undefined).ready).rejects.toMatchObject({
        code: 'database-closed',
      });
    });

    it('refuses a server that does not answer', async () => {
      const stand = await openStand(bench);
      const pool = createPool({ host: '127.0.0.1', port: 1 });
      onTestFinished(() => pool.end());
      await expect(new JobQueue(stand.over(pool)).check()).rejects.toMatchObject({
        code: 'database-unreachable',
        queue: 'Job',
      });
    });

    it.each([
      ['another database', 'mysql'],
      ['no database', ''],
    ])('refuses the pool of %s', async (_, database) => {
      const stand = await openStand(bench);
      const uri = new URL(stand.uri);
      uri.pathname = database;
      const pool = createPool({ uri: uri.href });
      onTestFinished(() => pool.end());
      await expect(new JobQueue(stand.over(pool)).check()).rejects.toMatchObject({
        code: 'table-missing',
        queue: 'Job',
      });
    });

    it('looks again, on a connection that has looked before', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.over(stand.pool({ connectionLimit: 1 })));
      await queue.check();
      await stand.run('ALTER TABLE jobs RENAME COLUMN note TO remark');
      await expect(queue.check()).rejects.toMatchObject({ code: 'column-missing' });
      await stand.run('ALTER TABLE jobs RENAME COLUMN remark TO note');
      await queue.check();
    });

    it('refuses a table without its key, and names the statement', async () => {
      const stand = await openStand(bench);
      await stand.run('DROP TABLE job_notes');
      await stand.run('ALTER TABLE jobs MODIFY id BIGINT NOT NULL');
      await stand.run('ALTER TABLE jobs DROP PRIMARY KEY');
      await expect(new JobQueue(stand.connect()).check()).rejects.toMatchObject({
        code: 'statement-refused',
        queue: 'Job',
        message: expect.stringMatching(/"claim" of table jobs.*PRIMARY/) as string,
      });
    });

    it('refuses a class that was generated for another database, before and at run time', async () => {
      const stand = await openStand(bench);
      const database = stand.connect();
      // @ts-expect-error a class for SQLite alone
      const queue = new HeldTextQueue(database);
      await expect(queue.check()).rejects.toMatchObject({ code: 'wrong-database' });
    });

    it.each([mysql, mariadb])('%o refuses what is no pool of mysql2', async (wrap) => {
      const pool = new pg.Pool();
      onTestFinished(() => pool.end());
      for (const stranger of [pool, null, { prepare: () => undefined }]) {
        // @ts-expect-error something of another driver
        const queue = new JobQueue(wrap(stranger));
        await expect(queue.check()).rejects.toMatchObject({ code: 'wrong-database' });
      }
    });

    it('gives up a server that does not answer in time, and its connection', async () => {
      const stand = await openStand(bench);
      const pool = stand.pool();
      const stuck = gate();
      const released: string[] = [];
      const watched = watchedPool(pool, async (sql, run) => {
        if (sql.startsWith('START TRANSACTION')) await stuck.passed;
        return run();
      });
      const wrap = bench.name === 'mysql' ? mysql : mariadb;
      pool.on('release', () => released.push('released'));
      const queue = new JobQueue(wrap(watched, { answerTimeout: 200 }));
      await expect(queue.claim()).rejects.toMatchObject({
        code: 'claim-failed',
        message: expect.stringContaining('200 ms') as string,
      });
      stuck.open();
      expect(released).toEqual([]);
    });

    it('a pool that is ended under a worker neither crashes it nor keeps it from stopping', async () => {
      const stand = await openStand(bench);
      const pool = stand.pool();
      const kinds: string[] = [];
      const queue = new JobQueue(stand.over(pool));
      await queue.enqueue({ payload: 1 });
      const entered = gate();
      const worker = queue.work(
        async (_, { signal }) => {
          entered.open();
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              resolve();
            });
          });
        },
        {
          concurrency: 2,
          poll: '20ms',
          lease: '500ms',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      await entered.passed;
      await pool.end();
      await until('the claim failed', () => kinds.includes('claim-failed'));
      await worker.stop({ timeout: '100ms' });
      await worker.stopped;
      expect(kinds.at(-1)).toBe('stopped');
    });
  });
}
