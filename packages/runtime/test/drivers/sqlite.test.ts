import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';

import { systemClock } from '../../src/clock/clock.js';
import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import { EncodeError } from '../../src/index.js';
import { JobQueue, jobSpec, sqliteTable } from '../support/jobs.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import { rejection } from '../support/until.js';

const ids = (handle: Database.Database): unknown[] =>
  handle.prepare('SELECT id FROM jobs ORDER BY id').pluck().all();

/** Resolves when the event loop has turned: what was asked for has been tried once. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('a locked file', () => {
  it('is waited for without blocking, and nothing is lost', async () => {
    const jobs = sqliteJobs();
    // Whoever waited inside SQLite would keep the event loop as long as this.
    const queue = new JobQueue(sqlite(jobs.handle({ timeout: 30_000 })));
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
    const [delivery] = await queue.claim();
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    const settled: string[] = [];
    const asked = [
      delivery?.ack().then(() => settled.push('acked')) ?? Promise.reject(new Error('no row')),
      queue.claim().then((rows) => settled.push(`claimed ${rows.length}`)),
      queue.enqueue({ payload: 3 }).then((key) => settled.push(`enqueued ${key}`)),
    ];
    const before = performance.now();
    await turn();
    expect(performance.now() - before).toBeLessThan(20_000);
    expect(settled).toEqual([]);
    other.exec('COMMIT');
    await Promise.all(asked);
    expect(settled.toSorted()).toEqual(['acked', 'claimed 1', 'enqueued 3']);
    expect(ids(other)).toEqual([2, 3]);
  });

  it('is given up after the budget, with one typed error', async () => {
    const jobs = sqliteJobs();
    const queue = new JobQueue(sqlite(jobs.handle(), { busyTimeout: '50ms' }));
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    expect(await rejection(queue.enqueue({ payload: 1 }))).toMatchObject({
      code: 'database-busy',
      queue: 'Job',
    });
    other.exec('COMMIT');
    expect(await queue.enqueue({ payload: 1 })).toBe(1n);
  });

  it('does not keep an idle claim from its answer', async () => {
    const jobs = sqliteJobs();
    const queue = new JobQueue(sqlite(jobs.handle(), { busyTimeout: '50ms' }));
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    expect(await queue.claim()).toEqual([]);
    other.exec('COMMIT');
  });

  it('is waited for at COMMIT too, where readers hold it', async () => {
    const jobs = sqliteJobs('DELETE');
    const reader = jobs.handle();
    const queue = new JobQueue(sqlite(jobs.handle()));
    await queue.enqueue({ payload: 1 });
    reader.exec('BEGIN');
    expect(ids(reader)).toEqual([1]);
    let enqueued = false;
    const second = queue.enqueue({ payload: 2 }).then(() => (enqueued = true));
    await turn();
    expect(enqueued).toBe(false);
    reader.exec('COMMIT');
    await second;
    expect(ids(reader)).toEqual([1, 2]);
  });
});

describe('a file that is locked', () => {
  it('is waited for by a check, which then says so itself', async () => {
    const jobs = sqliteJobs('DELETE');
    const queue = new JobQueue(sqlite(jobs.handle(), { busyTimeout: '50ms' }));
    const other = jobs.handle();
    other.exec('BEGIN EXCLUSIVE');
    expect(await rejection(queue.check())).toMatchObject({ code: 'database-busy', queue: 'Job' });
    const checked = queue.check();
    other.exec('COMMIT');
    await checked;
  });

  it('is waited for row by row too, where a trigger has rolled the transaction back', async () => {
    const jobs = sqliteJobs('DELETE');
    const handle = jobs.handle();
    const queue = new JobQueue(sqlite(handle));
    await queue.enqueueMany(Array.from({ length: 4 }, (_, n) => ({ payload: n })));
    const deliveries = await queue.claim({ limit: 3 });
    handle.exec(`CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN OLD.id = 2
      BEGIN SELECT RAISE(ROLLBACK, 'none at all'); END`);
    const reader = jobs.handle();
    reader.exec('BEGIN');
    expect(ids(reader)).toHaveLength(4);
    // The reader lets the transactions begin, and none commit.
    const settled: string[] = [];
    const asked = Promise.all([
      Promise.allSettled(
        deliveries.map((delivery) => delivery.ack().finally(() => settled.push('ack'))),
      ),
      queue.claim(),
      queue.enqueue({ payload: 5 }),
    ]);
    await turn();
    expect(settled).toEqual([]);
    reader.exec('COMMIT');
    const [fates, [fourth], key] = await asked;
    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(fourth?.row.id).toBe(4n);
    expect(key).toBe(5n);
    expect(ids(handle)).toEqual([2, 4, 5]);
  });

  it('is given up row by row without taking back what was settled', async () => {
    const jobs = sqliteJobs('DELETE');
    const given = jobs.handle({ timeout: 0 });
    const reader = jobs.handle();
    let rolledBack = false;
    let begun = 0;
    given.function('note', () => {
      rolledBack = true;
      return 1;
    });
    const database = sqlite(given, {
      connection: 'given',
      busyTimeout: '100ms',
      clock: {
        ...systemClock,
        // Asked for the time at the start of each transaction: a reader comes in the second one.
        monotonic() {
          begun += rolledBack ? 1 : 0;
          if (begun === 2 && !reader.inTransaction) {
            reader.exec('BEGIN');
            expect(ids(reader)).toEqual([2, 3]);
          }
          return performance.now();
        },
      },
    });
    const store = database.openLease(jobSpec);
    await store.insert([['1'], ['2'], ['3']]);
    const { rows } = await store.claim(3, 30_000);
    given.exec(`CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN OLD.id = 3 AND note()
      BEGIN SELECT RAISE(ROLLBACK, 'none at all'); END`);
    const settled = await store.settle(rows.map((fence) => ({ verb: 'ack', fence })));
    reader.exec('COMMIT');
    expect(settled.map(({ state }) => state)).toEqual(['done', 'failed', 'failed']);
    expect(settled[1]).toMatchObject({ error: { code: 'database-busy' } });
    expect(ids(given)).toEqual([2, 3]);
  });

  it('at COMMIT on a shared handle leaves nothing claimed that was not committed', async () => {
    const file = `${sqliteJobs().file}-shared`;
    const given = new Database(file, { timeout: 0 });
    const other = new Database(file);
    onTestFinished(() => {
      given.close();
      other.close();
    });
    given.exec(sqliteTable);
    const queue = new JobQueue(sqlite(given, { connection: 'given' }));
    await queue.enqueue({ payload: 1 });
    other.exec('BEGIN');
    expect(ids(other)).toEqual([1]);
    const claim = queue.claim();
    await turn();
    other.exec('COMMIT');
    other.exec('DELETE FROM jobs');
    expect(await claim).toEqual([]);
  });
});

describe('a claim that cannot look', () => {
  it('fails alone: those of other queues go on', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    const database = sqlite(handle);
    const queue = new JobQueue(database);
    const spec = JSON.stringify(jobSpec.statements.sqlite).replaceAll('jobs', 'gone');
    const gone = database.openLease({
      ...jobSpec,
      statements: { sqlite: JSON.parse(spec) as typeof jobSpec.statements.sqlite },
    });
    await queue.enqueue({ payload: 1 });
    const [error, deliveries] = await Promise.all([rejection(gone.claim(1, 1_000)), queue.claim()]);
    expect(error).toMatchObject({ message: 'no such table: gone' });
    expect(deliveries).toHaveLength(1);
  });
});

describe('one transaction for all that a turn asks for', () => {
  it('keeps the rows apart: one that a trigger refuses fails alone', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    const queue = new JobQueue(sqlite(handle));
    await queue.enqueueMany(Array.from({ length: 5 }, (_, n) => ({ payload: n })));
    const deliveries = await queue.claim({ limit: 5 });
    handle.exec(`CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN OLD.id = 2
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    const fates = await Promise.allSettled(deliveries.map((delivery) => delivery.ack()));
    expect(fates.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      ...['fulfilled', 'fulfilled', 'fulfilled'],
    ]);
    expect(fates[1]).toMatchObject({ reason: { code: 'settle-failed', id: 2n } });
    expect(ids(handle)).toEqual([2]);
  });

  it('is done again row by row where a trigger rolls all of it back', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    const queue = new JobQueue(sqlite(handle));
    await queue.enqueueMany(Array.from({ length: 4 }, (_, n) => ({ payload: n })));
    const deliveries = await queue.claim({ limit: 3 });
    handle.exec(`CREATE TRIGGER refuse BEFORE DELETE ON jobs WHEN OLD.id = 2
      BEGIN SELECT RAISE(ROLLBACK, 'none at all'); END`);
    const [fates, [fourth], key] = await Promise.all([
      Promise.allSettled(deliveries.map((delivery) => delivery.ack())),
      queue.claim(),
      queue.enqueue({ payload: 5 }),
    ]);
    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(fourth?.row.id).toBe(4n);
    expect(key).toBe(5n);
    expect(ids(handle)).toEqual([2, 4, 5]);
  });

  it('is done again row by row where a deferred constraint fails at COMMIT', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    handle.pragma('foreign_keys = ON');
    handle.exec(`CREATE TABLE late (
      job_id INTEGER REFERENCES jobs (id) DEFERRABLE INITIALLY DEFERRED)`);
    const queue = new JobQueue(sqlite(handle));
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
    handle.exec('INSERT INTO late VALUES (2)');
    const deliveries = await queue.claim({ limit: 3 });
    const fates = await Promise.allSettled(deliveries.map((delivery) => delivery.ack()));
    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ids(handle)).toEqual([2]);
  });

  it('inserts all or none of an enqueueMany, whatever else is in it', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    handle.exec(`CREATE TRIGGER refuse BEFORE INSERT ON jobs WHEN NEW.payload = '"bad"'
      BEGIN SELECT RAISE(ABORT, 'bad'); END`);
    const queue = new JobQueue(sqlite(handle));
    const [one, many] = await Promise.allSettled([
      queue.enqueue({ payload: 'good' }),
      queue.enqueueMany([{ payload: 'fine' }, { payload: 'bad' }]),
    ]);
    expect(one.status).toBe('fulfilled');
    expect(many).toMatchObject({ status: 'rejected', reason: { code: 'enqueue-failed' } });
    expect(handle.prepare('SELECT payload FROM jobs').pluck().all()).toEqual(['"good"']);
  });

  it('leaves out a row that cannot be stamped, and takes those behind it', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    handle.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON jobs WHEN OLD.id = 1
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    const queue = new JobQueue(sqlite(handle));
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
    expect((await queue.claim({ limit: 2 })).map(({ row }) => row.id)).toEqual([2n]);
    expect(await rejection(queue.claim())).toMatchObject({ code: 'claim-failed' });
  });
});

describe("the caller's transaction", () => {
  it('sees an error at once, so that it rolls back', () => {
    const handle = sqliteJobs().handle();
    const queue = new JobQueue(sqlite(handle));
    const work = handle.transaction((payload: unknown) => {
      handle.exec('INSERT INTO jobs (payload) VALUES (0)');
      void queue.enqueue({ payload }, { tx: handle });
    });
    expect(() => {
      work(1n);
    }).toThrow(EncodeError);
    handle.exec(`CREATE TRIGGER refuse BEFORE INSERT ON jobs WHEN NEW.payload = '"bad"'
      BEGIN SELECT RAISE(ABORT, 'bad'); END`);
    expect(() => {
      work('bad');
    }).toThrow(/bad/);
    expect(ids(handle)).toEqual([]);
    work('good');
    expect(ids(handle)).toHaveLength(2);
  });

  it('keeps many rows together, and is left as it was where one fails', async () => {
    const handle = sqliteJobs().handle();
    handle.exec(`CREATE TRIGGER refuse BEFORE INSERT ON jobs WHEN NEW.payload = '"bad"'
      BEGIN SELECT RAISE(ABORT, 'bad'); END`);
    const queue = new JobQueue(sqlite(handle));
    handle.exec('BEGIN');
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }], { tx: handle });
    const bad = [{ payload: 3 }, { payload: 'bad' }];
    expect(() => queue.enqueueMany(bad, { tx: handle })).toThrow(/bad/);
    handle.exec('COMMIT');
    expect(ids(handle)).toEqual([1, 2]);
  });

  it('on a shared handle is waited for', async () => {
    const handle = new Database(':memory:');
    onTestFinished(() => {
      handle.close();
    });
    handle.exec(sqliteTable);
    const queue = new JobQueue(sqlite(handle));
    handle.exec('BEGIN');
    let enqueued = false;
    const key = queue.enqueue({ payload: 1 }).then((answer) => {
      enqueued = true;
      return answer;
    });
    await turn();
    expect(enqueued).toBe(false);
    handle.exec('COMMIT');
    expect(await key).toBe(1n);
  });
});

describe('the connection', () => {
  it('is our own, with the settings of the given handle, and ends with it', async () => {
    const jobs = sqliteJobs();
    const handle = jobs.handle();
    handle.pragma('foreign_keys = ON');
    const database = sqlite(handle);
    const queue = new JobQueue(database);
    await queue.enqueue({ payload: 1 });
    handle.exec('INSERT INTO job_notes VALUES (1)');
    const [delivery] = await queue.claim();
    expect(await rejection(delivery?.ack())).toMatchObject({
      code: 'settle-failed',
      cause: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' },
    });
    handle.close();
    expect(await rejection(queue.claim())).toMatchObject({ code: 'database-closed' });
  });

  it('can be the given handle, for functions that only it has', async () => {
    const handle = sqliteJobs().handle();
    handle.function('stamp', () => 'stamped');
    handle.exec(`CREATE TRIGGER stamp AFTER INSERT ON jobs
      BEGIN UPDATE jobs SET payload = json_quote(stamp()) WHERE id = NEW.id; END`);
    const queue = new JobQueue(sqlite(handle, { connection: 'given' }));
    await queue.enqueue({ payload: 1 });
    expect((await queue.claim())[0]?.row.payload).toBe('stamped');
  });

  it("as the given handle never takes the caller's own statements into its transaction", async () => {
    const file = `${sqliteJobs().handle().name}-with-a-rollback-journal`;
    const given = new Database(file, { timeout: 0 });
    const reader = new Database(file);
    onTestFinished(() => {
      given.close();
      reader.close();
    });
    given.exec(sqliteTable);
    const queue = new JobQueue(sqlite(given, { connection: 'given' }));
    await queue.enqueue({ payload: 1 });
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM jobs').all();
    // The reader lets nobody commit.
    const claim = queue.claim();
    for (let turns = 0; turns < 5; turns += 1) {
      await turn();
      expect(given.inTransaction).toBe(false);
    }
    reader.exec('COMMIT');
    expect(await claim).toHaveLength(1);
  });

  it('keeps what it has claimed when it is closed, and says so', async () => {
    const jobs = sqliteJobs();
    const database = sqlite(jobs.handle());
    const queue = new JobQueue(database);
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim();
    await database.close();
    expect(await rejection(delivery?.ack())).toMatchObject({
      code: 'settle-failed',
    });
    expect(ids(jobs.handle())).toEqual([1]);
  });

  it('to a read-only file is refused', async () => {
    const jobs = sqliteJobs();
    const queue = new JobQueue(sqlite(jobs.handle({ readonly: true })));
    expect(await rejection(queue.check())).toMatchObject({
      code: 'wrong-database',
      message: expect.stringContaining('read-only') as string,
    });
  });
});
