import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { JobQueue } from '../generated/index.js';
import { claimOne, gate, openStand, payloads, showJobs, until } from './support.js';

/** What a worker does to keep its rows, and how a handler learns that its row is no longer kept. */
export function describeHolding(bench: Bench): void {
  describe('holding', () => {
    it('a handler three leases long keeps its row', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const attempts: unknown[] = [];
      const aborted: boolean[] = [];
      const work = (target: JobQueue): ReturnType<JobQueue['work']> =>
        target.work(
          async (_, delivery) => {
            attempts.push(delivery.attempt);
            await delay(3_100);
            aborted.push(delivery.signal.aborted);
          },
          { concurrency: 2, lease: '1s', poll: '20ms' },
        );
      const workers = [work(queue), work(new JobQueue(stand.connect()))];
      await until('the row is gone', async () => (await showJobs(bench, stand)).length === 0);
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(attempts).toEqual([1]);
      expect(aborted).toEqual([false]);
    });

    it('a lost row aborts its signal and leaves the new owner alone', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(2));
      const aborted = gate<unknown>();
      const kept = gate();
      const worker = queue.work(
        async ({ payload }, { signal }) => {
          if (payload === 1) {
            await kept.passed;
            return;
          }
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.open(signal.reason);
              resolve();
            });
          });
        },
        { concurrency: 2, lease: '1s', poll: '10s' },
      );
      await until('both are held', async () =>
        (await showJobs(bench, stand)).every(({ hold }) => hold === 'held'),
      );
      await stand.run('UPDATE jobs SET locked_until = NULL WHERE id = 1');
      const owner = await claimOne(new JobQueue(stand.connect()));
      expect(await aborted.passed).toMatchObject({ code: 'lease-lost', queue: 'Job', id: 1n });
      kept.open();
      await worker.stop();
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '3', hold: 'held' }]);
      await owner.ack();
    });

    it('failed extension rounds abort nobody while the lease can be proved, and do abort then', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const kinds: string[] = [];
      const entered = gate<number>();
      const aborted = gate<number>();
      const start = performance.now();
      const worker = queue.work(
        async (_, { signal }) => {
          entered.open(performance.now());
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              aborted.open(performance.now());
              resolve();
            });
          });
        },
        {
          concurrency: 1,
          lease: '1200ms',
          poll: '10s',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      const began = await entered.passed;
      await stand.run('ALTER TABLE jobs RENAME COLUMN locked_until TO locked_away');
      const ended = await aborted.passed;
      expect(kinds).toContain('extend-failed');
      // It was claimed after the start and before the handler began.
      expect(ended - start).toBeGreaterThanOrEqual(1_195);
      expect(ended - began).toBeLessThan(1_200 + 1_000);
      await stand.run('ALTER TABLE jobs RENAME COLUMN locked_away TO locked_until');
      await worker.stop();
    });

    it('a failed extension round is made good by the next', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const kinds: string[] = [];
      const entered = gate();
      const leave = gate();
      const aborted: boolean[] = [];
      const worker = queue.work(
        async (_, { signal }) => {
          entered.open();
          await leave.passed;
          aborted.push(signal.aborted);
        },
        {
          concurrency: 1,
          lease: '3s',
          poll: '10s',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      await entered.passed;
      await stand.run('ALTER TABLE jobs RENAME COLUMN locked_until TO locked_away');
      await until('a round has failed', () => kinds.includes('extend-failed'));
      await stand.run('ALTER TABLE jobs RENAME COLUMN locked_away TO locked_until');
      await until('a round has succeeded', () => kinds.includes('extended'));
      leave.open();
      await until('the row is gone', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(aborted).toEqual([false]);
    });
  });
}
