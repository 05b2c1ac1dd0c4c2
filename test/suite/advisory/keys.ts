import { describe, expect, it } from 'vitest';

import type { Bench } from '../../databases/bench.js';
import { keys } from '../../databases/lock-names.js';
import { KeyedJobQueue, TextKeyedJobQueue } from '../../generated/index.js';
import { gate, only, until } from '../support.js';
import { claimWhenFree, numbers, openHoldStand, untilEmpty } from '../holds/support.js';
import { advisoryTables, type HoldTable } from '../holds/table.js';

const ascending = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : Number(a > b));

/** The key of an advisory table: one row of it in work at a time, and no other key held up. */
export function describeKeys(bench: Bench): void {
  describe.each(advisoryTables)('keys of $title', (table) => {
    it('have one row in work at a time, whoever works it', async () => {
      const stand = await openHoldStand(bench);
      const ids = await table.queue(stand.connect()).add(numbers(30), 7n);
      const seen: bigint[] = [];
      let running = 0;
      let most = 0;
      const workers = [1, 2].map(() =>
        table.queue(stand.connect()).work(
          async ({ id }) => {
            running += 1;
            most = Math.max(most, running);
            seen.push(id);
            await new Promise((resolve) => setTimeout(resolve, 1));
            running -= 1;
          },
          { concurrency: 4, poll: '20ms' },
        ),
      );
      await untilEmpty(stand, table, 20_000);
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(most).toBe(1);
      expect(seen.toSorted(ascending)).toEqual(ids);
    });

    it('are free again when their row is settled, however it is', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const other = table.queue(stand.connect());
      await queue.add(numbers(2), 7n);
      for (const verb of ['retry', 'release', 'ack', 'drop'] as const) {
        const delivery = only(await queue.claim({ limit: 5 }));
        expect(await other.claim({ limit: 5 })).toEqual([]);
        await delivery[verb]();
      }
      expect(await queue.claim()).toEqual([]);
      expect(await stand.rows(`SELECT id FROM ${table.table}`)).toEqual([]);
    });

    it('in work are reached past at once, without waiting for a poll', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add(numbers(40), 7n);
      const leave = gate();
      const done: unknown[] = [];
      const worker = queue.work(
        async ({ payload }) => {
          if (Number(payload) < 40) await leave.passed;
          done.push(payload);
        },
        { concurrency: 3, poll: '1h' },
      );
      await until('the head is in work', () => worker.stats().running === 1);
      await queue.add([40, 41, 42]);
      await until('the other keys are done', () => done.length === 3);
      expect(done.toSorted()).toEqual([40, 41, 42]);
      leave.open();
      await untilEmpty(stand, table, 20_000);
      await worker.stop();
      expect(done).toHaveLength(43);
    });

    it('in work elsewhere are reached past too', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const other = table.queue(stand.connect());
      await queue.add(numbers(30), 7n);
      const head = only(await other.claim());
      const [id] = await queue.add([30], 8n);
      const delivery = only(await queue.claim());
      expect(delivery.row.id).toBe(id);
      await delivery.ack();
      await head.release();
    });

    it('are free within five seconds of a delivery that nobody settles or keeps', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      await drop(queue);
      const { setFlagsFromString } = await import('node:v8');
      const { runInNewContext } = await import('node:vm');
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const other = table.queue(stand.connect());
      const start = performance.now();
      await until('its lock is free', async () => {
        collect();
        const claimed = await other.claim();
        for (const delivery of claimed) await delivery.ack();
        return claimed.length > 0;
      });
      expect(performance.now() - start).toBeLessThan(10_000);
    });
  });

  describe('keys', () => {
    it('are told to whoever works the row', async () => {
      const stand = await openHoldStand(bench);
      const queue = new KeyedJobQueue(stand.connect());
      await queue.enqueueMany([
        { payload: 1, accountId: 7n },
        { payload: 2, accountId: -9_223_372_036_854_775_808n },
      ]);
      const deliveries = await queue.claim({ limit: 2 });
      expect(deliveries.map(({ lockKey }) => lockKey)).toEqual([
        'jobs-7',
        'jobs--9223372036854775808',
      ]);
      for (const delivery of deliveries) await delivery.release();
      const told: string[] = [];
      const worker = queue.work(
        (_, { lockKey }) => {
          told.push(lockKey);
        },
        { poll: '20ms' },
      );
      await until('both were worked', () => told.length === 2);
      await worker.stop();
      expect(told).toEqual(['jobs-7', 'jobs--9223372036854775808']);
    });

    it('that are text of any length and script are all worked, one row of each at a time', async () => {
      const stand = await openHoldStand(bench);
      const names = Object.values(keys);
      const rows = numbers(24).map((n) => ({
        ...{ tenantId: 1n, n: BigInt(n), payload: n },
        name: names[n % names.length] ?? '',
      }));
      await new TextKeyedJobQueue(stand.connect()).enqueueMany(rows);
      const seen = new Map<string, number[]>();
      const running = new Set<string>();
      const workers = [1, 2].map(() =>
        new TextKeyedJobQueue(stand.connect()).work(
          async ({ name, payload }, { lockKey }) => {
            if (running.has(name)) throw new Error(`two rows of ${name} are in work`);
            running.add(name);
            seen.set(lockKey, [...(seen.get(lockKey) ?? []), Number(payload)].toSorted(ascending));
            await new Promise((resolve) => setTimeout(resolve, 1));
            running.delete(name);
          },
          { concurrency: 4, poll: '20ms' },
        ),
      );
      await until(
        'all were worked',
        async () => (await stand.rows('SELECT n FROM text_keyed_jobs')).length === 0,
      );
      const tallies = await Promise.all(workers.map((worker) => worker.stop()));
      expect(tallies.map(({ retried, lost, failed }) => retried + lost + failed)).toEqual([0, 0]);
      expect(Object.fromEntries(seen)).toEqual(
        Object.fromEntries(
          names.map((name, n) => [name, [n, n + names.length, n + 2 * names.length]]),
        ),
      );
    });

    it('that differ in their last character only are apart', async () => {
      const stand = await openHoldStand(bench);
      const queue = new TextKeyedJobQueue(stand.connect());
      await queue.enqueueMany(
        [keys.huge, keys.hugeToo, keys.longest, keys.tooLong].map((name, n) => ({
          ...{ tenantId: 1n, n: BigInt(n), payload: n, name },
        })),
      );
      const deliveries = await queue.claim({ limit: 5 });
      expect(deliveries.map(({ row }) => row.n)).toEqual([0n, 1n, 2n, 3n]);
      for (const delivery of deliveries) await delivery.ack();
    });
  });
}

/** Claims a row and forgets it. */
async function drop(queue: ReturnType<HoldTable['queue']>): Promise<void> {
  await claimWhenFree(queue);
}
