import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { BareQueue, DefaultedQueue, JobQueue, NamedQueue } from '../generated/index.js';
import { claimOne, openStand, until } from './support.js';

/** How rows get into a queue. */
export function describeEnqueueing(bench: Bench): void {
  describe('enqueueing', () => {
    it('answers the key that the database gave', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      expect(await queue.enqueue({ payload: 'a' })).toBe(1n);
      expect(await queue.enqueue({ payload: 'b', note: 'n' })).toBe(2n);
      expect(await stand.rows('SELECT id, attempt, locked_until, note FROM jobs')).toEqual([
        { id: '1', attempt: '1', locked_until: null, note: null },
        { id: '2', attempt: '1', locked_until: null, note: 'n' },
      ]);
    });

    it('many at once, with their keys in the order given', async () => {
      const stand = await openStand(bench);
      const queue = new NamedQueue(stand.connect());
      const names = Array.from({ length: 3_000 }, (_, n) => `job ${(n * 7) % 3_000}`);
      expect(await queue.enqueueMany(names.map((name) => ({ name })))).toEqual(names);
      expect(await stand.rows('SELECT count(*) AS n FROM named_jobs')).toEqual([{ n: '3000' }]);
    });

    it('none at all', async () => {
      const stand = await openStand(bench);
      expect(await new JobQueue(stand.connect()).enqueueMany([])).toEqual([]);
    });

    it('many are all in or none', async () => {
      const stand = await openStand(bench);
      const queue = new NamedQueue(stand.connect());
      const names = ['a', 'b', 'c', 'a'];
      await expect(queue.enqueueMany(names.map((name) => ({ name })))).rejects.toMatchObject({
        code: 'enqueue-failed',
        queue: 'Named',
      });
      expect(await stand.rows('SELECT name FROM named_jobs')).toEqual([]);
    });

    it("in the caller's transaction commits with it", async () => {
      const stand = await openStand(bench);
      const queue = new BareQueue(stand.connect());
      const transaction = await stand.begin();
      expect(await queue.enqueue({ id: 1n }, { tx: transaction.tx })).toBe(1n);
      expect(await queue.enqueueMany([{ id: 2n }, { id: 3n }], { tx: transaction.tx })).toEqual([
        2n,
        3n,
      ]);
      expect(await stand.rows('SELECT id FROM bare_jobs')).toEqual([]);
      await transaction.commit();
      expect(await stand.rows('SELECT id FROM bare_jobs ORDER BY id')).toEqual([
        { id: '1' },
        { id: '2' },
        { id: '3' },
      ]);
    });

    it("in the caller's transaction rolls back with it", async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const transaction = await stand.begin();
      await queue.enqueue({ payload: 1 }, { tx: transaction.tx });
      await transaction.rollback();
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('with something that is no transaction of this database is refused', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      // On SQLite, whose transactions are synchronous functions, it is thrown at once.
      const enqueue = async (): Promise<unknown> =>
        queue.enqueue({ payload: 1 }, { tx: { no: 'transaction' } });
      await expect(enqueue()).rejects.toMatchObject({ code: 'wrong-transaction', queue: 'Job' });
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('leaves columns that are not given to their defaults, and writes those that are', async () => {
      const stand = await openStand(bench);
      const queue = new DefaultedQueue(stand.connect());
      await queue.enqueueMany([
        { required: 'a' },
        { required: 'b', nullable: undefined, withDefault: undefined, optional: undefined },
        {
          required: 'c',
          nullable: 'n',
          withDefault: 0n,
          optional: null,
          flag: false,
        },
        { required: 'd', nullable: null, withDefault: -1n, optional: '', flag: true },
      ]);
      const rows = (await queue.claim({ limit: 4 })).map(({ row }) => row);
      const defaults = {
        attempt: 1,
        nullable: null,
        withDefault: 5n,
        optional: "it's",
        flag: true,
      };
      expect(rows.toSorted((a, b) => (a.required < b.required ? -1 : 1))).toMatchObject([
        { ...defaults, required: 'a', upperText: 'A' },
        { ...defaults, required: 'b', upperText: 'B' },
        {
          required: 'c',
          nullable: 'n',
          withDefault: 0n,
          optional: null,
          flag: false,
          upperText: 'C',
        },
        { required: 'd', nullable: null, withDefault: -1n, optional: '', flag: true },
      ]);
    });

    it('refuses what cannot be written, and names the column', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const circle: { self?: unknown } = {};
      circle.self = circle;
      for (const payload of [undefined, 1n, circle, () => 1]) {
        await expect(queue.enqueue({ payload })).rejects.toMatchObject({
          code: 'encode-failed',
          column: 'payload',
        });
      }
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('wakes the worker of this process before its poll', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const seen: unknown[] = [];
      const worker = queue.work(
        ({ payload }) => {
          seen.push(payload);
        },
        { poll: '1h' },
      );
      await worker.ready;
      // The worker's first claim must have found nothing, or it would find the row by itself.
      await delay(300);
      await queue.enqueue({ payload: 'soon' });
      await until('it was worked', () => seen.length === 1, 5_000);
      await worker.stop();
      expect(await queue.claim({ limit: 1 })).toEqual([]);
    });

    it('a row can be claimed as soon as it is in', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: { deep: [1, { er: null }] } });
      expect((await claimOne(queue)).row.payload).toEqual({ deep: [1, { er: null }] });
    });
  });
}
