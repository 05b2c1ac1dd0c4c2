import type { InboxDatabase } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench, Databases, Stand } from '../databases/bench.js';
import {
  BareQueue,
  BytesPayloadQueue,
  JobQueue,
  JsonPayloadQueue,
  OddQueue,
  TextPayloadQueue,
  WideQueue,
  type NewWide,
} from '../generated/index.js';
import { claimOne, claimWhenDue, connectOddly, openStand } from './support.js';

/** The largest integers that a database keeps, and the first that a JavaScript number cannot. */
const largeIds = [
  9_007_199_254_740_991n,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_806n,
  9_223_372_036_854_775_807n,
] as const;

/** JSON that types, drivers and affinities like to change. */
const documents: readonly unknown[] = [
  [],
  {},
  null,
  0,
  -0.5,
  1e21,
  9_007_199_254_740_991,
  '',
  'x',
  '0',
  'null',
  '"quoted"',
  "it's",
  'ünïcödé 🎈',
  true,
  false,
  [[], [null], ['a', [1]]],
  { a: { b: { c: [1, 'two', null, { d: false }] } } },
  { '': 1, "o'clock": [], 'a"b': '\\' },
  ['{', '}', ','],
];

/** How values come back: as they went in, whatever the driver was told about types. */
export function describeCrossing(bench: Bench): void {
  describe('values', () => {
    describe.each(bench.oddities)('with $title', (oddity) => {
      it('keys of 64 bits survive claim, extension, retry and acknowledgement', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(connectOddly(stand, oddity));
        await stand.run(
          `INSERT INTO jobs (id, payload) VALUES ${largeIds
            .map((id) => `(${id}, ${bench.json(`"${id}"`)})`)
            .join(', ')}`,
        );
        const first = await queue.claim({ limit: 10 });
        expect(first.map(({ row }) => [row.id, row.payload])).toEqual(
          largeIds.map((id) => [id, String(id)]),
        );
        await Promise.all(first.map((delivery) => delivery.extend({ lease: '2m' })));
        await Promise.all(first.map((delivery) => delivery.retry()));
        const second = await queue.claim({ limit: 10 });
        expect(second.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 2]);
        await Promise.all(second.slice(1).map((delivery) => delivery.ack()));
        expect(await stand.rows('SELECT id FROM jobs')).toEqual([{ id: '9007199254740991' }]);
      });

      it('keys of 64 bits survive enqueue, claim and acknowledgement', async () => {
        const stand = await openStand(bench);
        const queue = new BareQueue(connectOddly(stand, oddity));
        expect(await queue.enqueueMany(largeIds.map((id) => ({ id })))).toEqual(largeIds);
        expect(await queue.enqueue({ id: -9_223_372_036_854_775_808n })).toBe(
          -9_223_372_036_854_775_808n,
        );
        const deliveries = await queue.claim({ limit: 10 });
        expect(deliveries.map(({ row }) => row.id)).toEqual([
          -9_223_372_036_854_775_808n,
          ...largeIds,
        ]);
        await Promise.all(deliveries.slice(2).map((delivery) => delivery.ack()));
        expect(await stand.rows('SELECT id FROM bare_jobs ORDER BY id')).toEqual([
          { id: '-9223372036854775808' },
          { id: '9007199254740991' },
        ]);
      });

      it('payloads come back as they went in', async () => {
        const stand = await openStand(bench);
        await roundTrips(stand, connectOddly(stand, oddity));
      });

      it('a lease ends when it should, and a retry waits as long as it should', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(connectOddly(stand, oddity));
        await queue.enqueue({ payload: 1 });
        const claimed = performance.now();
        await claimOne(queue, 150);
        const second = await claimWhenDue(queue);
        const retried = performance.now();
        expect(retried - claimed).toBeGreaterThanOrEqual(149);
        await second.retry({ after: 150 });
        await (await claimWhenDue(queue)).ack();
        expect(performance.now() - retried).toBeGreaterThanOrEqual(149);
        expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
      });
    });

    it('payloads come back as they went in', async () => {
      const stand = await openStand(bench);
      await roundTrips(stand, stand.connect());
    });

    it('JSON that somebody else wrote is read', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      for (const text of ['[]', '"x"', 'null', '0', '{}', ' { "a" : [ 1 ] } ']) {
        await stand.run(`INSERT INTO jobs (payload) VALUES (${bench.json(text)})`);
      }
      const read = (await queue.claim({ limit: 10 })).map(({ row }) => row.payload);
      expect(read).toEqual([[], 'x', null, 0, {}, { a: [1] }]);
    });

    it('bytes are bytes', async () => {
      const stand = await openStand(bench);
      const queue = new BytesPayloadQueue(stand.connect());
      const every = Uint8Array.from({ length: 256 }, (_, n) => n);
      const samples = [every, new Uint8Array(0), Uint8Array.of(92, 120, 52, 49), Buffer.from('é')];
      await queue.enqueueMany(samples.map((payload) => ({ payload })));
      const read = (await queue.claim({ limit: 10 })).map(({ row }) => row.payload);
      expect(read.every((payload) => payload instanceof Uint8Array)).toBe(true);
      expect(read.map((payload) => [...payload])).toEqual(samples.map((payload) => [...payload]));
    });

    it('a hundred columns cross', async () => {
      const stand = await openStand(bench);
      const queue = new WideQueue(stand.connect());
      const names = Array.from({ length: 97 }, (_, n) => `c${String(n + 1).padStart(2, '0')}`);
      const row = Object.fromEntries(
        names.map((name, index) => [name, wideValue(index + 1)]),
      ) as unknown as NewWide;
      await queue.enqueue(row);
      const delivery = await claimOne(queue);
      expect(delivery.row).toEqual({ id: 1n, attempt: 1, ...row });
      await delivery.retry();
      await (await claimOne(queue)).ack();
      expect(await stand.rows('SELECT id FROM wide_jobs')).toEqual([]);
    });

    it('names that must be quoted work', async () => {
      const stand = await openStand(bench);
      const queue = new OddQueue(stand.connect());
      expect(await queue.enqueue({ select: 'all' })).toBe(1n);
      const delivery = await claimOne(queue);
      expect(delivery.row).toEqual({ theId: 1n, select: 'all', attempt: 1 });
      await delivery.extend({ lease: '1m' });
      await delivery.retry();
      const again = await claimOne(queue);
      expect(again.attempt).toBe(2);
      await again.ack();
      expect(await stand.rows('SELECT * FROM "Order ""jobs"""')).toEqual([]);
    });

    it('64-bit values are bigints to the type checker', async () => {
      const stand = await openStand(bench);
      const queue = new BareQueue(stand.connect());
      const id: bigint = await queue.enqueue({ id: 1n });
      const claimed: bigint = (await claimOne(queue)).row.id;
      expect(claimed).toBe(id);
      // @ts-expect-error a number may have lost digits
      const lossy: Parameters<typeof queue.enqueue>[0] = { id: 1 };
      expect(lossy).toBeDefined();
    });
  });
}

/** Even columns of `wide_jobs` may be NULL; their types take turns. */
function wideValue(column: number): unknown {
  if (column % 10 === 0) {
    return null;
  }
  return [BigInt(column), `text ${column}`, column + 0.25][column % 3];
}

async function roundTrips(stand: Stand, database: InboxDatabase<Databases>): Promise<void> {
  for (const Queue of [JobQueue, JsonPayloadQueue, TextPayloadQueue]) {
    const queue = new Queue(database);
    await queue.enqueueMany(documents.map((payload) => ({ payload })));
    const rows = (await queue.claim({ limit: 100 })).map(({ row }) => row.payload);
    expect(rows, Queue.name).toEqual(documents);
  }
  expect(await stand.rows('SELECT count(*) AS n FROM jobs')).toEqual([
    { n: String(documents.length) },
  ]);
}
