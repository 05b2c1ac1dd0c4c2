import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';

import { fixtureSchema } from '../../databases/fixtures.js';
import { sqliteBench, type SqliteStand } from '../../databases/sqlite.js';
import { JobQueue } from '../../generated/index.js';
import { claimOne, gate, openStand, showJobs, until } from '../support.js';

/** Has another process take the write lock; answers how to let it go. */
async function lockFile(stand: SqliteStand): Promise<() => Promise<void>> {
  const script = fileURLToPath(new URL('../../processes/hold-lock.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...stand.environment, TSX_DISABLE_CACHE: '1' },
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await ended;
  };
}

/** Measures the longest time that the event loop stood still. */
function watchEventLoop(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  onTestFinished(() => {
    clearInterval(timer);
  });
  return () => longest;
}

/** What becomes of rows and of the event loop when others use the same file. */
export function describeFiles(): void {
  describe('files', () => {
    it('locked by another process hold nobody up but their own rows, and lose nothing', async () => {
      const stand = await openStand(sqliteBench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
      const leave = gate();
      const attempts: unknown[] = [];
      const aborted: boolean[] = [];
      const worker = queue.work(
        async (_, { attempt, signal }) => {
          attempts.push(attempt);
          await leave.passed;
          aborted.push(signal.aborted);
        },
        { concurrency: 2, lease: '20s', poll: '20ms' },
      );
      await until('both run', () => attempts.length === 2);
      const unlock = await lockFile(stand);
      const longest = watchEventLoop();
      leave.open();
      const enqueued = queue.enqueue({ payload: 3 });
      await delay(1_000);
      expect(await showJobs(sqliteBench, stand)).toHaveLength(2);
      expect(longest()).toBeLessThan(500);
      await unlock();
      await enqueued;
      await until(
        'the table is empty',
        async () => (await showJobs(sqliteBench, stand)).length === 0,
      );
      await worker.stop();
      expect(attempts).toEqual([1, 1, 1]);
      expect(aborted).toEqual([false, false, false]);
    });

    it('locked for longer than a lease abort what can no longer be proved, and nothing is lost', async () => {
      const stand = await openStand(sqliteBench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const entered = gate();
      const aborted = gate();
      const attempts: unknown[] = [];
      const worker = queue.work(
        async (_, { attempt, signal }) => {
          attempts.push(attempt);
          if (attempts.length > 1) {
            return;
          }
          entered.open();
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.open();
              resolve();
            });
          });
          throw new Error('aborted');
        },
        { concurrency: 1, lease: '500ms', poll: '20ms', backoff: () => 10 },
      );
      await entered.passed;
      const unlock = await lockFile(stand);
      await aborted.passed;
      await unlock();
      await until(
        'the table is empty',
        async () => (await showJobs(sqliteBench, stand)).length === 0,
      );
      await worker.stop();
      expect(attempts).toEqual([1, 2]);
    });

    it('an idle claim does not ask for the write lock', async () => {
      const stand = await openStand(sqliteBench);
      const queue = new JobQueue(stand.connect());
      await queue.claim({ limit: 1 });
      const unlock = await lockFile(stand);
      expect(await queue.claim({ limit: 1 })).toEqual([]);
      await unlock();
    });

    it.each(['WAL', 'DELETE', 'TRUNCATE'])(
      'in journal mode %s are shared by two workers',
      async (mode) => {
        const stand = await openStand(sqliteBench);
        await stand.rows(`PRAGMA journal_mode = ${mode}`);
        await new JobQueue(stand.connect()).enqueueMany(
          Array.from({ length: 200 }, (_, n) => ({ payload: n })),
        );
        const seen: unknown[] = [];
        const workers = [1, 2].map(() =>
          new JobQueue(stand.connect()).work(
            async ({ payload }) => {
              await delay(1);
              seen.push(payload);
            },
            { concurrency: 4, poll: '20ms' },
          ),
        );
        await until(
          'the table is empty',
          async () => (await showJobs(sqliteBench, stand)).length === 0,
        );
        await Promise.all(workers.map((worker) => worker.stop()));
        expect(seen).toHaveLength(200);
        expect(new Set(seen).size).toBe(200);
      },
    );

    it('in memory are worked through the handle that was given', async () => {
      const handle = new Database(':memory:');
      onTestFinished(() => {
        handle.close();
      });
      handle.exec(fixtureSchema('sqlite'));
      const queue = new JobQueue(sqlite(handle));
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
      let handled = 0;
      const worker = queue.work(
        () => {
          handled += 1;
        },
        { poll: '10ms' },
      );
      await until('both were worked', () => handled === 2);
      await worker.stop();
      expect(handle.prepare('SELECT count(*) FROM jobs').pluck().get()).toBe(0);
    });

    it("the handle itself takes part in the application's transactions", async () => {
      const stand = await openStand(sqliteBench);
      const handle = stand.handle();
      const queue = new JobQueue(sqlite(handle));
      handle.exec('BEGIN');
      const id = await queue.enqueue({ payload: 1 }, { tx: handle });
      handle.prepare('INSERT INTO job_notes VALUES (?, ?)').run(id, 'together');
      expect(await showJobs(sqliteBench, stand)).toEqual([]);
      handle.exec('COMMIT');
      expect((await claimOne(queue)).row.id).toBe(id);
    });

    it('keep the settings of the handle that was given', async () => {
      const stand = await openStand(sqliteBench);
      const handle = stand.handle();
      handle.pragma('busy_timeout = 1234');
      const queue = new JobQueue(sqlite(handle));
      await queue.enqueue({ payload: 1 });
      await (await claimOne(queue)).ack();
      expect(handle.pragma('busy_timeout', { simple: true })).toBe(1234);
      expect(handle.inTransaction).toBe(false);
      expect(typeof handle.prepare('SELECT 1').pluck().get()).toBe('number');
    });
  });
}
