import { linkSync, symlinkSync } from 'node:fs';

import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';

import { systemClock } from '../../src/clock/clock.js';
import { sqlite, type SqliteOptions } from '../../src/drivers/better-sqlite3/index.js';
import type { Hold, HoldStore } from '../../src/drivers/hold-store.js';
import { sqliteJobs, type SqliteJobs } from '../support/sqlite-jobs.js';
import {
  bareTable,
  bareTableSql,
  keyedTable,
  keyedTableSql,
} from '../support/sqlite-keyed-jobs.js';
import { rejection } from '../support/until.js';

/** A file with both tables, and due rows of the accounts given, numbered from 1. */
function keyedJobs(accounts: string, journalMode?: 'WAL' | 'DELETE'): SqliteJobs {
  const jobs = sqliteJobs(journalMode);
  const handle = jobs.handle();
  handle.exec(keyedTableSql + bareTableSql);
  for (const table of ['keyed_jobs', 'bare_jobs']) {
    const add = handle.prepare(`INSERT INTO ${table} (account_id, payload) VALUES (?, '{}')`);
    for (const account of accounts) add.run(account);
  }
  return jobs;
}

const storeOn = (handle: Database.Database, options?: SqliteOptions): HoldStore =>
  sqlite(handle, options).openAdvisory(keyedTable, undefined);

const claim = (store: HoldStore, limit = 1): Promise<readonly Hold[]> =>
  store.claim(limit, { busy: 0, idle: false });

const ids = (holds: readonly Hold[]): number[] => holds.map(({ cells }) => Number(cells[0]));

const rows = (jobs: SqliteJobs): unknown[] =>
  jobs.handle().prepare('SELECT id, attempt FROM keyed_jobs ORDER BY id').raw().all();

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const done = { state: 'done', closed: false };

describe('a claim', () => {
  it('takes the first row of each key, in order, and looks past the keys in work', async () => {
    const store = storeOn(keyedJobs('aaaabac').handle());
    const first = await claim(store);
    expect(ids(first)).toEqual([1]);
    expect(first[0]).toMatchObject({
      lockKey: 'jobs-a',
      session: `process ${process.pid}`,
      cells: [1n, 2n, 'a', '{}'],
    });
    expect(ids(await claim(store, 9))).toEqual([5, 7]);
    expect(await claim(store, 9)).toEqual([]);
  });

  it('reads on past the rows of one key until it has enough', async () => {
    const store = storeOn(keyedJobs(`${'a'.repeat(50)}b${'a'.repeat(50)}cd`).handle());
    expect(ids(await claim(store, 3))).toEqual([1, 51, 102]);
  });

  it('leaves out a row that may not be taken, and takes those behind it', async () => {
    const jobs = keyedJobs('aaab');
    const handle = jobs.handle();
    handle.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON keyed_jobs WHEN OLD.id IN (1, 2)
      BEGIN SELECT RAISE(ABORT, 'not these'); END`);
    const store = storeOn(handle);
    const [hold] = await claim(store);
    expect(hold?.cells[0]).toBe(3n);
    expect(ids(await claim(store))).toEqual([4]);
    expect(await hold?.settle('ack')).toEqual(done);
    expect(await rejection(claim(store))).toMatchObject({ message: 'not these' });
  });

  it('gets past a key in work that JSON cannot say', async () => {
    const store = storeOn(keyedJobs('\0\0\0a').handle());
    expect(ids(await claim(store))).toEqual([1]);
    expect(ids(await claim(store))).toEqual([4]);
    expect(await claim(store)).toEqual([]);
  });

  it('takes no key that another claim of the same turn has taken', async () => {
    const store = storeOn(keyedJobs('aaab').handle());
    const claims = await Promise.all([claim(store), claim(store), claim(store)]);
    expect(claims.map(ids)).toEqual([[1], [4], []]);
  });

  it('that finds nothing asks for no write lock', async () => {
    const jobs = keyedJobs('a');
    const store = storeOn(jobs.handle(), { busyTimeout: '50ms' });
    const [hold] = await claim(store);
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    expect(await claim(store)).toEqual([]);
    other.exec('COMMIT');
    expect(await hold?.settle('ack')).toEqual(done);
  });

  it('fails alone where its table is gone', async () => {
    const jobs = keyedJobs('a');
    const handle = jobs.handle();
    const database = sqlite(handle);
    const keyed = database.openAdvisory(keyedTable, undefined);
    const bare = database.openAdvisory(bareTable, undefined);
    handle.exec('DROP TABLE bare_jobs');
    const [error, holds] = await Promise.all([rejection(claim(bare)), claim(keyed)]);
    expect(error).toMatchObject({ message: expect.stringContaining('no such table') as string });
    expect(ids(holds)).toEqual([1]);
  });
});

describe('the keys in work', () => {
  it('are those of the file, whatever handle, path or link leads to it', async () => {
    const jobs = keyedJobs('abcd');
    const symbolic = `${jobs.file}-symbolic`;
    symlinkSync(jobs.file, symbolic);
    const hard = `${jobs.file}-hard`;
    const handles = [jobs.handle(), jobs.handle(), new Database(symbolic)];
    onTestFinished(() => {
      handles[2]?.close();
    });
    const held: number[] = [];
    for (const handle of handles) held.push(...ids(await claim(storeOn(handle))));
    expect(held).toEqual([1, 2, 3]);
    // SQLite must not write a WAL under two names, so the last look only reads.
    jobs.handle().exec('DELETE FROM keyed_jobs WHERE id = 4; PRAGMA wal_checkpoint(TRUNCATE)');
    linkSync(jobs.file, hard);
    const linked = new Database(hard);
    onTestFinished(() => {
      linked.close();
    });
    expect(await claim(storeOn(linked, { busyTimeout: 0 }))).toEqual([]);
  });

  it('of another table of the file count too, as a lock of the server would', async () => {
    const database = sqlite(keyedJobs('ab').handle());
    const keyed = database.openAdvisory(keyedTable, undefined);
    const bare = database.openAdvisory(bareTable, undefined);
    const [hold] = await claim(keyed);
    expect(ids(await claim(bare))).toEqual([2]);
    await hold?.settle('retry');
    expect(ids(await claim(bare))).toEqual([1]);
  });

  it('of a database in memory are those of its handle', async () => {
    const memory = (): Database.Database => {
      const handle = new Database(':memory:');
      onTestFinished(() => {
        handle.close();
      });
      handle.exec(`${keyedTableSql} INSERT INTO keyed_jobs (account_id, payload) VALUES ('a', '')`);
      return handle;
    };
    const [one, two] = [memory(), memory()];
    expect(ids(await claim(storeOn(one)))).toEqual([1]);
    expect(await claim(storeOn(one))).toEqual([]);
    expect(ids(await claim(storeOn(two)))).toEqual([1]);
  });

  it('are held only for what was committed', async () => {
    const jobs = keyedJobs('a', 'DELETE');
    const given = jobs.handle({ timeout: 0 });
    const store = storeOn(given, { connection: 'given' });
    const other = jobs.handle();
    other.exec('BEGIN');
    other.prepare('SELECT * FROM keyed_jobs').all();
    // The reader lets nobody commit, so the claim is rolled back and asked for again.
    const claimed = claim(store);
    await turn();
    expect(given.inTransaction).toBe(false);
    other.exec('COMMIT');
    other.exec('DELETE FROM keyed_jobs');
    expect(await claimed).toEqual([]);
    other.exec("INSERT INTO keyed_jobs (account_id, payload) VALUES ('a', '')");
    expect(ids(await claim(store))).toEqual([2]);
  });
});

describe('two handles on one file, with four loops each', () => {
  it.each([
    ['their own connections', {}],
    ['the given handles', { connection: 'given' }],
  ] as const)('have each key in work once and finish each row once, on %s', async (_, options) => {
    const jobs = keyedJobs('abcdefghij'.repeat(20));
    const verbs = ['ack', 'retry', 'release', 'ack', 'ack'] as const;
    const inWork = new Set<string | null>();
    const finished: number[] = [];
    let twice = 0;
    let delivered = 0;
    const loop = async (store: HoldStore): Promise<void> => {
      while (finished.length < 200) {
        const holds = await claim(store, 3);
        await Promise.all(
          holds.map(async (hold) => {
            if (inWork.has(hold.lockKey)) twice += 1;
            inWork.add(hold.lockKey);
            delivered += 1;
            const verb = verbs[delivered % verbs.length] ?? 'ack';
            await new Promise((resolve) => setImmediate(resolve));
            // The key is free for others from the commit on, just before this is told.
            inWork.delete(hold.lockKey);
            expect(await hold.settle(verb)).toEqual(done);
            if (verb === 'ack') finished.push(...ids([hold]));
          }),
        );
        if (holds.length === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const stores = [jobs.handle(), jobs.handle()].map((handle) =>
      storeOn(handle, { ...options, busyTimeout: '1h' }),
    );
    await Promise.all([...stores, ...stores, ...stores, ...stores].map(loop));
    expect(twice).toBe(0);
    expect(finished.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
    expect(rows(jobs)).toEqual([]);
  });
});

describe('a settlement', () => {
  it('writes its outcome and frees the key', async () => {
    const jobs = keyedJobs('a');
    const store = storeOn(jobs.handle());
    for (const [verb, left] of [
      ['retry', [[1, 2]]],
      ['release', [[1, 2]]],
      ['ack', []],
    ] as const) {
      const [hold] = await claim(store);
      expect(await hold?.settle(verb)).toEqual(done);
      expect(rows(jobs)).toEqual(left);
    }
  });

  it('of a table without a count does too', async () => {
    const jobs = keyedJobs('a');
    const store = sqlite(jobs.handle()).openAdvisory(bareTable, undefined);
    for (const verb of ['retry', 'release', 'ack'] as const) {
      const [hold] = await claim(store);
      expect(hold?.cells).toEqual([1n, 'a', '{}']);
      expect(await hold?.settle(verb)).toEqual(done);
    }
    expect(await claim(store)).toEqual([]);
  });

  it('shares its transaction with a claim, which may take the key at once', async () => {
    const store = storeOn(keyedJobs('aaa').handle());
    const [first] = await claim(store);
    const [settled, second] = await Promise.all([first?.settle('ack'), claim(store)]);
    expect(settled).toEqual(done);
    expect(ids(second)).toEqual([2]);
    expect(await claim(store)).toEqual([]);
  });

  it('changes nothing where the row was written by somebody else', async () => {
    const jobs = keyedJobs('abc');
    const handle = jobs.handle();
    const store = storeOn(handle);
    const [counted, deleted, released] = await claim(store, 3);
    handle.exec('UPDATE keyed_jobs SET attempt = attempt + 1 WHERE id IN (1, 3)');
    handle.exec('DELETE FROM keyed_jobs WHERE id = 2');
    expect(await counted?.settle('ack')).toMatchObject({ state: 'lost', closed: false });
    expect(await deleted?.settle('ack')).toMatchObject({ state: 'lost' });
    expect(await released?.settle('release')).toMatchObject({ state: 'lost' });
    expect(rows(jobs)).toEqual([
      [1, 3],
      [3, 3],
    ]);
    expect(ids(await claim(store, 3))).toEqual([1, 3]);
  });

  it.each(['ABORT', 'ROLLBACK'])(
    'that a trigger refuses with %s fails alone, and its key is free',
    async (resolution) => {
      const jobs = keyedJobs('abcd');
      const handle = jobs.handle();
      const store = storeOn(handle);
      const holds = await claim(store, 3);
      handle.exec(`CREATE TRIGGER refuse BEFORE DELETE ON keyed_jobs WHEN OLD.id = 2
        BEGIN SELECT RAISE(${resolution}, 'not this one'); END`);
      const [settled, fourth] = await Promise.all([
        Promise.all(holds.map((hold) => hold.settle('ack'))),
        claim(store, 3),
      ]);
      expect(settled.map(({ state }) => state)).toEqual(['done', 'failed', 'done']);
      expect(settled[1]).toMatchObject({ ambiguous: false, error: { message: 'not this one' } });
      // The failed row is back at once, so the claim of the same turn may have taken it.
      const after = await claim(store, 3);
      expect(ids([...fourth, ...after]).toSorted()).toEqual([2, 4]);
    },
  );

  it('waits for a locked file; a release no longer than five seconds', async () => {
    const jobs = keyedJobs('ab');
    let passed = 0;
    const store = storeOn(jobs.handle(), {
      busyTimeout: '1h',
      clock: { ...systemClock, monotonic: () => performance.now() + passed },
    });
    const [one, two] = await claim(store, 2);
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    const acked = one?.settle('ack');
    const released = two?.settle('release');
    await turn();
    passed = 5_001;
    expect(await released).toMatchObject({ state: 'failed', error: { code: 'database-busy' } });
    other.exec('COMMIT');
    expect(await acked).toEqual(done);
    expect(rows(jobs)).toEqual([[2, 2]]);
    expect(ids(await claim(store))).toEqual([2]);
  });
});

describe('a row in work when the database is closed', () => {
  it('hears of it, is free for others, and can no longer be settled', async () => {
    const jobs = keyedJobs('ab');
    const database = sqlite(jobs.handle());
    const [one, two] = await claim(database.openAdvisory(keyedTable, undefined), 2);
    const heard: unknown[] = [];
    one?.onEnd((error) => heard.push(error));
    await database.close();
    expect(heard).toMatchObject([{ code: 'database-closed' }]);
    two?.onEnd((error) => heard.push(error));
    expect(heard).toHaveLength(2);
    expect(ids(await claim(storeOn(jobs.handle()), 2))).toEqual([1, 2]);
    for (const verb of ['ack', 'retry'] as const) {
      const hold = verb === 'ack' ? one : two;
      expect(await hold?.settle(verb)).toMatchObject({
        state: 'lost',
        error: { code: 'database-closed' },
        closed: false,
      });
    }
    expect(rows(jobs)).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it('hears of it too where the handle was closed by its owner', async () => {
    const jobs = keyedJobs('a');
    const handle = jobs.handle();
    const store = storeOn(handle);
    const [hold] = await claim(store);
    const heard: unknown[] = [];
    hold?.onEnd((error) => heard.push(error));
    handle.close();
    expect(await rejection(claim(store))).toMatchObject({ code: 'database-closed' });
    expect(heard).toHaveLength(1);
    expect(ids(await claim(storeOn(jobs.handle())))).toEqual([1]);
  });

  it('is free where its handle was closed and nobody noticed', async () => {
    const jobs = keyedJobs('a');
    const handle = jobs.handle();
    expect(ids(await claim(storeOn(handle)))).toEqual([1]);
    const other = storeOn(jobs.handle());
    expect(await claim(other)).toEqual([]);
    handle.close();
    expect(ids(await claim(other))).toEqual([1]);
  });

  it('hears nothing once it is settled', async () => {
    const jobs = keyedJobs('a');
    const database = sqlite(jobs.handle());
    const [hold] = await claim(database.openAdvisory(keyedTable, undefined));
    const heard: unknown[] = [];
    hold?.onEnd((error) => heard.push(error));
    expect(await hold?.settle('ack')).toEqual(done);
    await database.close();
    expect(heard).toEqual([]);
  });
});

describe('a check', () => {
  it('is content with a table that is as declared, and names what is missing', async () => {
    const jobs = keyedJobs('');
    const handle = jobs.handle();
    const store = storeOn(handle);
    expect(await store.check()).toEqual([]);
    handle.exec('ALTER TABLE keyed_jobs DROP COLUMN attempt');
    expect(await rejection(store.check())).toMatchObject({
      code: 'column-missing',
      queue: 'KeyedJob',
    });
  });

  it('of a row-lock table names the forms that SQLite has', async () => {
    const store = sqlite(keyedJobs('').handle()).openRowLock({
      ...keyedTable,
      statements: {},
    });
    expect(await rejection(store.check())).toMatchObject({
      code: 'wrong-database',
      message: expect.stringMatching(/@inbox lease.*@advisory/) as string,
    });
  });
});
