import { setTimeout as delay } from 'node:timers/promises';

import { ack, drop, retry } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { JobQueue, TextPayloadQueue } from '../generated/index.js';
import { claimOne, gate, openStand, showJobs, until } from './support.js';

const payloads = (count: number): readonly { readonly payload: number }[] =>
  Array.from({ length: count }, (_, n) => ({ payload: n }));

/** What a worker does with handlers that return, throw, take long, or never end. */
export function describeWorking(bench: Bench): void {
  describe('working', () => {
    it('gives every row to one handler and acknowledges what returns', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(100));
      const seen: unknown[] = [];
      const worker = queue.work(
        (job) => {
          seen.push(job.payload);
        },
        { concurrency: 8, poll: '20ms' },
      );
      await worker.ready;
      await until('the table is empty', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      await worker.stopped;
      expect(new Set(seen).size).toBe(100);
      expect(seen).toHaveLength(100);
    });

    it('does what the handler answers', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany([{ payload: 'ack' }, { payload: 'drop' }, { payload: 'retry' }]);
      const worker = queue.work(
        ({ payload }) =>
          payload === 'ack'
            ? ack()
            : payload === 'drop'
              ? drop('unwanted')
              : retry({ after: '1h' }),
        { concurrency: 1, poll: '20ms' },
      );
      await until('two rows are gone', async () => (await showJobs(bench, stand)).length === 1);
      await worker.stop();
      expect(await showJobs(bench, stand)).toEqual([{ id: '3', attempt: '2', hold: 'held' }]);
    });

    it('retries what throws, with the attempt counted, until it returns', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const attempts: unknown[] = [];
      const worker = queue.work(
        (_, delivery) => {
          attempts.push(delivery.attempt);
          if (attempts.length < 3) {
            throw new Error('not yet');
          }
        },
        { concurrency: 1, poll: '20ms', backoff: () => 10 },
      );
      await until('the row is gone', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(attempts).toEqual([1, 2, 3]);
    });

    it('works in claim order with one handler', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(30));
      const seen: bigint[] = [];
      const worker = queue.work(
        ({ id }) => {
          seen.push(id);
        },
        { concurrency: 1, poll: '20ms' },
      );
      await until('all were worked', () => seen.length === 30);
      await worker.stop();
      expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => BigInt(index + 1)));
    });

    it('never holds more rows than handlers', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(20));
      const gates = payloads(20).map(() => gate());
      let entered = 0;
      const worker = queue.work(
        async () => {
          const own = gates[entered];
          entered += 1;
          await own?.passed;
        },
        { concurrency: 3, poll: '5ms' },
      );
      await until('three handlers run', () => entered === 3);
      for (const [index, own] of gates.entries()) {
        const rows = await showJobs(bench, stand);
        expect(rows.filter(({ hold }) => hold === 'held').length).toBeLessThanOrEqual(3);
        own.open();
        const wanted = Math.min(index + 4, 20);
        await until(`handler ${wanted} runs`, () => entered >= wanted);
      }
      await worker.stop();
      expect(await showJobs(bench, stand)).toEqual([]);
    });

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

    it('rows undecided at stop return at once with their attempt given back', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(4));
      let entered = 0;
      const reasons: unknown[] = [];
      const worker = queue.work(
        async ({ id }, { signal }) => {
          entered += 1;
          await new Promise<void>((_, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(signal.reason);
              // Half of the handlers obey, as everything does that was given the signal.
              if (id % 2n === 0n) {
                reject(signal.reason as Error);
              }
            });
          });
        },
        { concurrency: 4, lease: '10m', poll: '10s' },
      );
      await until('four handlers run', () => entered === 4);
      await worker.stop({ timeout: '50ms' });
      await worker.stopped;
      expect(reasons).toHaveLength(4);
      expect(reasons[0]).toMatchObject({ code: 'worker-stopped', queue: 'Job' });
      expect(await showJobs(bench, stand)).toEqual(
        ['1', '2', '3', '4'].map((id) => ({ id, attempt: '1', hold: 'free' })),
      );
      expect((await claimOne(queue)).attempt).toBe(1);
    });

    it('stop waits for handlers that end in time and settles what they decide', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const entered = gate();
      const leave = gate();
      const worker = queue.work(
        async () => {
          entered.open();
          await leave.passed;
        },
        { concurrency: 1, poll: '20ms' },
      );
      await entered.passed;
      const stopping = worker.stop({ timeout: '10s' });
      await queue.enqueue({ payload: 2 });
      leave.open();
      await stopping;
      // The first was acknowledged; the second came after the stop and was not claimed.
      expect(await showJobs(bench, stand)).toEqual([{ id: '2', attempt: '1', hold: 'free' }]);
    });

    it('one row that cannot be read does not stop those behind it, and stays', async () => {
      const stand = await openStand(bench);
      const queue = new TextPayloadQueue(stand.connect());
      await stand.run(
        `INSERT INTO text_payloads (payload) VALUES ('{"ok": 1}'), ('not JSON'), ('{"ok": 2}')`,
      );
      const seen: unknown[] = [];
      const kinds: string[] = [];
      const worker = queue.work(
        ({ payload }) => {
          seen.push(payload);
        },
        {
          concurrency: 1,
          poll: '20ms',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      await until('both good rows were worked', () => seen.length === 2);
      await until('the bad row is reported', () => kinds.includes('decode-failed'));
      await worker.stop();
      expect(seen).toEqual([{ ok: 1 }, { ok: 2 }]);
      expect(await stand.rows('SELECT id, payload FROM text_payloads')).toEqual([
        { id: '2', payload: 'not JSON' },
      ]);
    });
  });
}
