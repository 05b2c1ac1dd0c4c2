import { setTimeout as delay } from 'node:timers/promises';

import { ack, drop, retry } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { JobQueue, TextPayloadQueue } from '../generated/index.js';
import { claimOne, gate, openStand, payloads, showJobs, until } from './support.js';

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
      await until('two rows are gone, and the third was claimed', async () => {
        const rows = await showJobs(bench, stand);
        return rows.length === 1 && rows[0]?.attempt === '2';
      });
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

    it('never takes more rows than it has free handlers', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(20));
      const gates = payloads(20).map(() => gate());
      let entered = 0;
      let undecided = 0;
      let most = 0;
      const worker = queue.work(
        async () => {
          const own = gates[entered];
          entered += 1;
          await own?.passed;
          undecided -= 1;
        },
        {
          concurrency: 3,
          poll: '5ms',
          on: ({ kind }) => {
            undecided += kind === 'claimed' ? 1 : 0;
            most = Math.max(most, undecided);
          },
        },
      );
      await until('three handlers run', () => entered === 3);
      for (const [index, own] of gates.entries()) {
        own.open();
        const wanted = Math.min(index + 4, 20);
        await until(`handler ${wanted} runs`, () => entered >= wanted);
      }
      await worker.stop();
      expect(most).toBe(3);
      expect(await showJobs(bench, stand)).toEqual([]);
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
      let aborted = (): boolean => true;
      const worker = queue.work(
        async (_, { signal }) => {
          aborted = () => signal.aborted;
          entered.open();
          await leave.passed;
        },
        { concurrency: 1, poll: '20ms' },
      );
      await entered.passed;
      const stopping = worker.stop({ timeout: '10s' });
      await queue.enqueue({ payload: 2 });
      await delay(200);
      expect(aborted()).toBe(false);
      expect((await showJobs(bench, stand))[0]).toEqual({ id: '1', attempt: '2', hold: 'held' });
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
