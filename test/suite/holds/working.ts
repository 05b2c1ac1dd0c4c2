import { setTimeout as delay } from 'node:timers/promises';

import { ack, drop, retry } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench } from '../../databases/bench.js';
import { gate, until } from '../support.js';
import {
  claimOne,
  counted,
  heldAttempt,
  numbers,
  openHoldStand,
  showRows,
  shown,
  untilEmpty,
} from './support.js';
import type { HoldTable } from './table.js';

/** What a worker does with handlers that return, throw, take long, or never end. */
export function describeHoldWorking(bench: Bench, table: HoldTable): void {
  describe('working', () => {
    it('gives every row to one handler and acknowledges what returns', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add(numbers(200));
      const seen: unknown[] = [];
      const handler = ({ payload }: { readonly payload: unknown }): void => {
        seen.push(payload);
      };
      const workers = [queue, table.queue(stand.connect())].map((each) =>
        each.work(handler, { concurrency: 5, poll: '20ms' }),
      );
      await untilEmpty(stand, table);
      const tallies = await Promise.all(workers.map((worker) => worker.stop()));
      expect(seen).toHaveLength(200);
      expect(new Set(seen).size).toBe(200);
      expect(tallies.reduce((sum, { acked }) => sum + acked, 0)).toBe(200);
    });

    it('does what the handler answers', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add(['ack', 'drop', 'retry', 'throw']);
      const seen: string[] = [];
      const worker = queue.work(
        ({ payload }) => {
          const first = !seen.includes(String(payload));
          seen.push(String(payload));
          if (payload === 'throw' && first) throw new Error('not yet');
          if (payload === 'retry' && first) return retry();
          return payload === 'drop' ? drop('unwanted') : ack();
        },
        { concurrency: 1, poll: '20ms', backoff: () => 5 },
      );
      await untilEmpty(stand, table);
      const tally = await worker.stop();
      expect(seen.toSorted()).toEqual(['ack', 'drop', 'retry', 'retry', 'throw', 'throw']);
      expect(tally).toMatchObject({ acked: 3, dropped: 1, retried: 2, lost: 0, failed: 0 });
    });

    it('retries what throws, with the attempt counted, until it returns', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      const attempts: unknown[] = [];
      const worker = queue.work(
        (_, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length < 3) {
            throw new Error('not yet');
          }
        },
        { concurrency: 1, poll: '1h', backoff: () => 10 },
      );
      await untilEmpty(stand, table);
      await worker.stop();
      expect(attempts).toEqual([1, 2, 3].map((attempt) => counted(table, attempt)));
    });

    it('works in claim order with one handler', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const ids = await queue.add(numbers(30));
      const seen: bigint[] = [];
      const worker = queue.work(
        ({ id }) => {
          seen.push(id);
        },
        { concurrency: 1, poll: '20ms' },
      );
      await until('all were worked', () => seen.length === 30);
      await worker.stop();
      expect(seen).toEqual(ids);
    });

    it('lets a handler that takes long hold up no other, and has no more than it may', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const ids = await queue.add(numbers(30));
      const leave = gate();
      let running = 0;
      let most = 0;
      const done: bigint[] = [];
      const worker = queue.work(
        async ({ id }) => {
          running += 1;
          most = Math.max(most, running);
          await (id === ids[0] ? leave.passed : delay(1));
          running -= 1;
          done.push(id);
        },
        { concurrency: 3, poll: '1h' },
      );
      await until('all others are done', () => done.length === 29);
      leave.open();
      await untilEmpty(stand, table);
      await worker.stop();
      expect(done.at(-1)).toBe(ids[0]);
      expect(most).toBeLessThanOrEqual(3);
    });

    it('wakes at once when this process adds a row', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const seen: unknown[] = [];
      const worker = queue.work(
        ({ payload }) => {
          seen.push(payload);
        },
        { concurrency: 4, poll: '1h' },
      );
      await worker.ready;
      for (const round of numbers(3)) {
        await queue.add([round]);
        await until(`row ${round} was worked`, () => seen.length === round + 1);
      }
      await worker.stop();
      expect(seen).toEqual([0, 1, 2]);
    });

    it('gives back at stop what is undecided, and says how much', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const ids = await queue.add(numbers(4));
      let entered = 0;
      const reasons: unknown[] = [];
      const worker = queue.work(
        async ({ payload }, { signal }) => {
          entered += 1;
          await new Promise<void>((_, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(signal.reason);
              // Half of the handlers obey, as everything does that was given the signal.
              if (Number(payload) % 2 === 0) {
                reject(signal.reason as Error);
              }
            });
          });
        },
        { concurrency: 4, poll: '1h' },
      );
      await until('four handlers run', () => entered === 4);
      expect(await worker.stop({ timeout: '50ms' })).toMatchObject({
        ...{ claimed: 4, released: 4, acked: 0, retried: 0, lost: 0, failed: 0 },
        ...{ unsettled: 0, connectionsClosed: 0 },
      });
      expect(reasons).toHaveLength(4);
      expect(reasons[0]).toMatchObject({ code: 'worker-stopped' });
      expect(await stand.held()).toEqual([]);
      expect(await showRows(stand, table)).toEqual(ids.map((id) => shown(table, id, 1)));
      const next = await claimOne(table.queue(stand.connect()));
      expect(next.attempt).toBe(counted(table, 1));
      await next.ack();
    });

    it('waits at stop for handlers that end in time, and settles what they decide', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [first] = await queue.add([1]);
      const entered = gate();
      const leave = gate();
      let aborted = (): boolean => true;
      const worker = queue.work(
        async (_, { signal }) => {
          aborted = () => signal.aborted;
          entered.open();
          await leave.passed;
        },
        { concurrency: 2, poll: '20ms' },
      );
      await entered.passed;
      const stopping = worker.stop({ timeout: '20s' });
      const [second] = await queue.add([2]);
      await delay(100);
      expect(aborted()).toBe(false);
      expect((await showRows(stand, table))[0]).toEqual(shown(table, first, heldAttempt(table)));
      leave.open();
      expect(await stopping).toMatchObject({ claimed: 1, acked: 1, released: 0 });
      // The second came after the stop and was not claimed.
      expect(await showRows(stand, table)).toEqual([shown(table, second, 1)]);
    });

    it('lets a row that cannot be read stop nobody, and keeps it', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [bad] = await queue.add(numbers(6));
      await stand.run(bench.plainPayload(table.table));
      await stand.run(`UPDATE ${table.table} SET payload = 'no JSON' WHERE id = ${String(bad)}`);
      const seen: unknown[] = [];
      const failures: unknown[] = [];
      const worker = queue.work(
        ({ payload }) => {
          seen.push(payload);
        },
        {
          concurrency: 2,
          poll: '20ms',
          backoff: () => 3_600_000,
          on: (event) => {
            if (event.kind === 'decode-failed') failures.push(event.id);
          },
        },
      );
      await until('the others are worked', () => seen.length === 5);
      await until('it is reported', () => failures.length > 0);
      expect(await worker.stop()).toMatchObject({ acked: 5, retried: 1, unsettled: 0 });
      expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5]);
      expect(failures).toEqual([bad]);
      expect(await showRows(stand, table)).toEqual([shown(table, bad, 2)]);
    });

    it('keeps a row whose handler threw until its back-off is over, and stop cuts that short', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      const failed = gate();
      const worker = queue.work(
        () => {
          throw new Error('always');
        },
        {
          concurrency: 1,
          poll: '5ms',
          backoff: () => 3_600_000,
          on: ({ kind }) => {
            if (kind === 'handler-failed') failed.open();
          },
        },
      );
      await failed.passed;
      expect(await table.queue(stand.connect()).claim()).toEqual([]);
      const tally = await worker.stop({ timeout: '20s' });
      expect(tally).toMatchObject({ claimed: 1, retried: 1, released: 0, unsettled: 0 });
      expect(await showRows(stand, table)).toEqual([shown(table, id, 2)]);
    });
  });
}
