import { describe, expect, it } from 'vitest';

import type { Bench } from '../databases/bench.js';
import {
  BareQueue,
  JobQueue,
  NamedQueue,
  TenantedQueue,
  ZeroBasedQueue,
} from '../generated/index.js';
import { claimOne, claimWhenDue, openStand, showJobs } from './support.js';

/** What a claim takes, in which order, and what it leaves to others. */
export function describeClaiming(bench: Bench): void {
  describe('claiming', () => {
    it('commits at once: the row is held for everybody else', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const id = await queue.enqueue({ payload: { a: 1 } });
      const delivery = await claimOne(queue);
      expect(delivery.row).toEqual({ id, attempt: 1, payload: { a: 1 }, note: null });
      expect(delivery.attempt).toBe(1);
      expect(await showJobs(bench, stand)).toEqual([
        { id: String(id), attempt: '2', hold: 'held' },
      ]);
      expect(await new JobQueue(stand.connect()).claim({ limit: 5 })).toEqual([]);
    });

    it('takes nothing from an empty table', async () => {
      const stand = await openStand(bench);
      expect(await new JobQueue(stand.connect()).claim({ limit: 10 })).toEqual([]);
    });

    it('takes no more than its limit, and the first rows', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await stand.run(
        `INSERT INTO jobs (id, payload) VALUES ${[11, 9, 10, 8, 12]
          .map((id) => `(${id}, ${bench.json('1')})`)
          .join(', ')}`,
      );
      const ids = (await queue.claim({ limit: 3 })).map(({ row }) => row.id);
      expect(ids).toEqual([8n, 9n, 10n]);
      expect((await queue.claim({ limit: 10 })).map(({ row }) => row.id)).toEqual([11n, 12n]);
    });

    it('answers in claim order, whatever the order of the rows in the table', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const ids = Array.from({ length: 300 }, (_, index) => (index * 7) % 300);
      await stand.run(
        `INSERT INTO jobs (id, payload) VALUES ${ids
          .map((id) => `(${id + 1}, ${bench.json('1')})`)
          .join(', ')}`,
      );
      // Rewritten rows move within the table, and RETURNING follows the table.
      await stand.run('UPDATE jobs SET note = id WHERE id % 3 = 0');
      const claimed = (await queue.claim({ limit: 300 })).map(({ row }) => Number(row.id));
      expect(claimed).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    });

    it('orders a text key as the database does', async () => {
      const stand = await openStand(bench);
      const queue = new NamedQueue(stand.connect());
      await queue.enqueueMany(['9', '10', '11', 'b', 'B', 'ä', ''].map((name) => ({ name })));
      const names = (await queue.claim({ limit: 10 })).map(({ row }) => row.name);
      expect(names).toEqual(['', '10', '11', '9', 'B', 'b', 'ä']);
    });

    it('orders and settles by a key of two columns, in key order', async () => {
      const stand = await openStand(bench);
      const queue = new TenantedQueue(stand.connect());
      const keys = await queue.enqueueMany([
        { n: 1n, tenant: 'b', payload: 'b1' },
        { n: 2n, tenant: 'a', payload: 'a2' },
        { n: 1n, tenant: 'a', payload: 'a1' },
      ]);
      expect(keys).toEqual([
        { tenant: 'b', n: 1n },
        { tenant: 'a', n: 2n },
        { tenant: 'a', n: 1n },
      ]);
      const [a1, a2, b1] = await queue.claim({ limit: 3 });
      expect([a1, a2, b1].map((delivery) => delivery?.row.payload)).toEqual(['a1', 'a2', 'b1']);
      await Promise.all([b1?.ack(), a2?.retry(), a1?.ack()]);
      expect(await stand.rows('SELECT tenant, n, attempt FROM tenant_jobs')).toEqual([
        { tenant: 'a', n: '2', attempt: '2' },
      ]);
    });

    it('counts from one where the column starts at zero', async () => {
      const stand = await openStand(bench);
      const queue = new ZeroBasedQueue(stand.connect());
      await queue.enqueue({});
      const first = await claimOne(queue);
      expect([first.attempt, first.row.attempt]).toEqual([1, 1]);
      await first.retry();
      const second = await claimOne(queue);
      expect([second.attempt, second.row.attempt]).toEqual([2, 2]);
      await second.release();
      expect((await claimOne(queue)).attempt).toBe(2);
    });

    it('works without a count', async () => {
      const stand = await openStand(bench);
      const queue = new BareQueue(stand.connect());
      await queue.enqueue({ id: 7n });
      const delivery = await claimOne(queue);
      expect(delivery.attempt).toBeNull();
      await delivery.release();
      await (await claimOne(queue)).ack();
      expect(await stand.rows('SELECT id FROM bare_jobs')).toEqual([]);
    });

    it('takes a row again when its lease has ended, and counts', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      await claimOne(queue, 100);
      const before = performance.now();
      const again = await claimWhenDue(new JobQueue(stand.connect()));
      expect(again.attempt).toBe(2);
      expect(performance.now() - before).toBeLessThan(1_100);
    });

    it('takes a row whose count is at the end of its type, and the rows behind it', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
      await stand.run('UPDATE jobs SET attempt = 32767 WHERE id = 1');
      const deliveries = await queue.claim({ limit: 2 });
      expect(deliveries.map(({ row }) => row.id)).toEqual([1n, 2n]);
      for (const delivery of deliveries) {
        await delivery.extend();
        await delivery.ack();
      }
      expect(await showJobs(bench, stand)).toEqual([]);
    });

    it('never gives two claimers the same row', async () => {
      const stand = await openStand(bench);
      const [one, two] = [new JobQueue(stand.connect()), new JobQueue(stand.connect())];
      await one.enqueueMany(Array.from({ length: 200 }, (_, n) => ({ payload: n })));
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, turn) => (turn % 2 === 0 ? one : two).claim({ limit: 4 })),
      );
      claims.push(await one.claim({ limit: 200 }), await two.claim({ limit: 200 }));
      const ids = claims.flat().map(({ row }) => row.id);
      expect(ids).toHaveLength(200);
      expect(new Set(ids).size).toBe(200);
    });
  });
}
