import { describe, expect, it } from 'vitest';

import type { FamilyBench, FamilyDatabase } from '../../databases/mysql-family.js';
import {
  BytesKeyedQueue,
  DefaultKeyedQueue,
  GeneralKeyedQueue,
  JobQueue,
  Latin1KeyedQueue,
  UnsignedGivenQueue,
  UnsignedKeyedQueue,
} from '../../generated/index.js';
import { claimOne, openStand } from '../support.js';

const largest = 18_446_744_073_709_551_615n;

/** Keys of every kind: given by the database or by the row, found again and settled. */
export function describeKeys(bench: FamilyBench): void {
  describe(`keys on ${bench.name}`, () => {
    it.each([
      ['the first numbers', 1n],
      ['numbers that a JavaScript number cannot hold', 9_007_199_254_740_991n],
      ['numbers beyond what is signed', 9_223_372_036_854_775_806n],
      ['the last numbers', largest - 8n],
    ])('%s that the database gives are answered and settled', async (_, first) => {
      const stand = await openStand(bench);
      await stand.run(`ALTER TABLE unsigned_keyed_jobs AUTO_INCREMENT = ${first}`);
      const queue = new UnsignedKeyedQueue(stand.connect() as FamilyDatabase);
      expect(await queue.enqueue({})).toBe(first);
      expect(await queue.enqueueMany([{}, {}, {}])).toEqual([first + 1n, first + 2n, first + 3n]);
      expect(await queue.enqueue({})).toBe(first + 4n);
      const deliveries = await queue.claim({ limit: 10 });
      expect(deliveries.map(({ row }) => row.id)).toEqual(
        [0n, 1n, 2n, 3n, 4n].map((step) => first + step),
      );
      await Promise.all(deliveries.slice(0, 4).map((delivery) => delivery.ack()));
      await deliveries[4]?.retry();
      expect(await stand.rows('SELECT id FROM unsigned_keyed_jobs')).toEqual([
        { id: String(first + 4n) },
      ]);
    });

    it('neighbours among the largest numbers are not taken for each other', async () => {
      const stand = await openStand(bench);
      const queue = new UnsignedGivenQueue(stand.connect() as FamilyDatabase);
      const ids = Array.from({ length: 20 }, (_, index) => largest - BigInt(index)).toReversed();
      expect(await queue.enqueueMany(ids.map((id) => ({ id })))).toEqual(ids);
      const deliveries = await queue.claim({ limit: 20 });
      expect(deliveries.map(({ row }) => row.id)).toEqual(ids);
      await Promise.all(
        deliveries.filter((_, index) => index % 2 === 0).map((delivery) => delivery.ack()),
      );
      expect(await stand.rows('SELECT id FROM unsigned_given_jobs ORDER BY id')).toEqual(
        ids.filter((_, index) => index % 2 === 1).map((id) => ({ id: String(id) })),
      );
      await claimNone(queue);
      await deliveries[1]?.ack();
      expect(await stand.rows('SELECT count(*) AS n FROM unsigned_given_jobs')).toEqual([
        { n: '9' },
      ]);
    });

    it('numbers a step of 7 apart are answered as they are', async () => {
      const stand = await openStand(bench);
      const pool = stand.pool({}, 'SET auto_increment_increment = 7, auto_increment_offset = 3');
      const queue = new JobQueue(stand.over(pool));
      const rows = Array.from({ length: 700 }, (_, payload) => ({ payload }));
      const keys = await queue.enqueueMany(rows);
      const stored = await stand.rows('SELECT id FROM jobs ORDER BY id');
      expect(keys.map(String)).toEqual(stored.map(({ id }) => id));
      expect(keys.slice(0, 3)).toEqual([3n, 10n, 17n]);
    });

    it('numbers are answered in the order given while others insert as well', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      const batches = await Promise.all(
        Array.from({ length: 12 }, (_, batch) =>
          queue.enqueueMany(
            Array.from({ length: 90 }, (__, index) => ({ payload: `${batch} ${index}` })),
          ),
        ),
      );
      const stored = await stand.rows('SELECT id, payload FROM jobs');
      const byId = new Map(stored.map(({ id, payload }) => [id, payload]));
      for (const [batch, keys] of batches.entries()) {
        expect(keys.map((id) => byId.get(String(id)))).toEqual(
          keys.map((_, index) => `"${batch} ${index}"`),
        );
      }
    });

    it('bytes are found again', async () => {
      const stand = await openStand(bench);
      const queue = new BytesKeyedQueue(stand.connect() as FamilyDatabase);
      const ids = [0, 1, 39, 92, 128, 255].map((byte) => new Uint8Array(16).fill(byte));
      expect(await queue.enqueueMany(ids.map((id) => ({ id })))).toEqual(ids);
      const deliveries = await queue.claim({ limit: 10 });
      expect(deliveries.map(({ row }) => row.id)).toEqual(ids);
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: '1m' })));
      await Promise.all(deliveries.slice(1).map((delivery) => delivery.ack()));
      await deliveries[0]?.retry();
      expect((await claimOne(queue)).row.id).toEqual(ids[0]);
    });

    it.each([
      ['latin1_swedish_ci', Latin1KeyedQueue, ["it's", 'Käse', 'a\\b', 'ÿ', 'x '.trimEnd(), '']],
      ['utf8mb4_general_ci', GeneralKeyedQueue, ["it's", 'Käse', 'a\\b', '日本', '🎈', '']],
      ["the database's collation", DefaultKeyedQueue, ["it's", 'Käse', 'a\\b', '日本', '🎈', '']],
    ] as const)('text in %s is found again', async (_, Queue, names) => {
      const stand = await openStand(bench);
      const queue = new Queue(stand.connect() as FamilyDatabase);
      expect(await queue.enqueueMany(names.map((name) => ({ name })))).toEqual(names);
      const deliveries = await queue.claim({ limit: 10 });
      expect(deliveries.map(({ row }) => row.name).toSorted()).toEqual([...names].toSorted());
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: '1m' })));
      await Promise.all(deliveries.map((delivery) => delivery.ack()));
      expect(await queue.claim({ limit: 10, lease: '1s' })).toEqual([]);
    });

    it('text that a collation takes for the same is still another row', async () => {
      const stand = await openStand(bench);
      const queue = new GeneralKeyedQueue(stand.connect() as FamilyDatabase);
      await queue.enqueue({ name: 'Job' });
      const delivery = await claimOne(queue);
      await stand.run("UPDATE general_keyed_jobs SET name = 'JOB'");
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await stand.rows('SELECT name FROM general_keyed_jobs')).toEqual([{ name: 'JOB' }]);
    });
  });
}

async function claimNone(queue: UnsignedGivenQueue): Promise<void> {
  expect(await queue.claim({ limit: 30 })).toEqual([]);
}
