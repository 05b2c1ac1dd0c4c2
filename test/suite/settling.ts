import { InboxError, LeaseLostError, type InboxDatabase } from 'inbox-runtime';
import type { Cell } from 'inbox-runtime/v1';
import { describe, expect, it } from 'vitest';

import type { Bench, Databases } from '../databases/bench.js';
import { BareQueue, JobQueue, jobSpec } from '../generated/index.js';
import { claimOne, claimWhenDue, only, openStand, showJobs } from './support.js';

const verbs = ['ack', 'retry', 'drop', 'release', 'extend'] as const;

type Settlement = Parameters<
  ReturnType<InboxDatabase<Databases>['openLease']>['settle']
>[0][number];

/** An integer cell a little more or less, or a timestamp's text with another last digit. */
function shifted(cell: Cell | undefined, by: bigint): Cell {
  if (typeof cell === 'string' && /\D/.test(cell.replace(/^-/, ''))) {
    return `${cell.slice(0, -1)}${(Number(cell.at(-1)) + Number(by) + 10) % 10}`;
  }
  const value = BigInt(cell instanceof Uint8Array ? 0n : (cell ?? 0n)) + by;
  return typeof cell === 'string' ? String(value) : value;
}

/** What a settlement changes, and when it must change nothing. */
export function describeSettling(bench: Bench): void {
  describe('settling', () => {
    describe.each(verbs)('%s', (verb) => {
      it('after the lease ended and the row was claimed again changes nothing', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(stand.connect());
        const id = await queue.enqueue({ payload: 1 });
        const late = await claimOne(queue, 50);
        const owner = await claimWhenDue(new JobQueue(stand.connect()));
        const before = await stand.rows('SELECT * FROM jobs');

        const error: unknown = await late[verb]().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(LeaseLostError);
        expect(error).toMatchObject({ code: 'lease-lost', queue: 'Job', id });
        expect(await stand.rows('SELECT * FROM jobs')).toEqual(before);

        await owner.ack();
        expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
      });

      it('the same by one queue object, and without a count', async () => {
        const stand = await openStand(bench);
        const queue = new BareQueue(stand.connect());
        await queue.enqueue({ id: 1n });
        const late = await claimOne(queue, 50);
        const owner = await claimWhenDue(queue);
        const before = await stand.rows('SELECT * FROM bare_jobs');
        await expect(late[verb]()).rejects.toBeInstanceOf(LeaseLostError);
        expect(await stand.rows('SELECT * FROM bare_jobs')).toEqual(before);
        await owner.ack();
      });

      it('of a row that is gone rejects', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(stand.connect());
        await queue.enqueue({ payload: 1 });
        const delivery = await claimOne(queue);
        await stand.run('DELETE FROM jobs');
        await expect(delivery[verb]()).rejects.toBeInstanceOf(LeaseLostError);
      });

      it('of a row that was given back by hand rejects', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(stand.connect());
        await queue.enqueue({ payload: 1 });
        const delivery = await claimOne(queue);
        await stand.run('UPDATE jobs SET locked_until = NULL');
        const before = await stand.rows('SELECT * FROM jobs');
        await expect(delivery[verb]()).rejects.toBeInstanceOf(LeaseLostError);
        expect(await stand.rows('SELECT * FROM jobs')).toEqual(before);
      });

      it('after another settlement of the same delivery rejects and changes nothing', async () => {
        const stand = await openStand(bench);
        const queue = new JobQueue(stand.connect());
        await queue.enqueue({ payload: 1 });
        const delivery = await claimOne(queue);
        await delivery.retry();
        const before = await stand.rows('SELECT * FROM jobs');
        await expect(delivery[verb]()).rejects.toBeInstanceOf(InboxError);
        expect(await stand.rows('SELECT * FROM jobs')).toEqual(before);
      });
    });

    it.each([
      ['key', 0],
      ['expiry', 1],
      ['attempt', 2],
    ])('checks the %s of the fence, whatever the verb', async (_, place) => {
      const stand = await openStand(bench);
      const store = stand.connect().openLease(jobSpec);
      await new JobQueue(stand.connect()).enqueue({ payload: 1 });
      const fence = only((await store.claim(1, 60_000)).rows).slice(0, 3);
      const before = await stand.rows('SELECT * FROM jobs');
      for (const by of [-1n, 1n]) {
        const wrong = fence.map((cell, index) => (index === place ? shifted(cell, by) : cell));
        const states = await store.settle([
          { verb: 'ack', fence: wrong },
          { verb: 'retry', fence: wrong, after: null },
          { verb: 'release', fence: wrong },
          { verb: 'extend', fence: wrong, lease: 60_000 },
        ]);
        expect(states.map(({ state }) => state)).toEqual(['lost', 'lost', 'lost', 'lost']);
      }
      expect(await stand.rows('SELECT * FROM jobs')).toEqual(before);
      expect(await store.settle([{ verb: 'ack', fence }])).toMatchObject([{ state: 'done' }]);
    });

    it('acknowledging and dropping finish the row', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
      const [first, second] = await queue.claim({ limit: 3 });
      await first?.ack();
      await second?.drop('not wanted');
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([{ id: '3' }]);
    });

    it('a retry is due at once and has spent its attempt', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      await (await claimOne(queue)).retry();
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '2', hold: 'free' }]);
      expect((await claimOne(queue)).attempt).toBe(2);
    });

    it('a delayed retry is due after its delay, and not before', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const delivery = await claimOne(queue);
      const start = performance.now();
      await delivery.retry({ after: '300ms' });
      const again = await claimWhenDue(queue);
      expect(performance.now() - start).toBeGreaterThanOrEqual(299);
      expect(again.attempt).toBe(2);
    });

    it('a release is due at once and gives its attempt back', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      await (await claimOne(queue)).release();
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '1', hold: 'free' }]);
      expect((await claimOne(queue)).attempt).toBe(1);
    });

    it('an extension keeps the row beyond its first lease, and settles after it', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const delivery = await claimOne(queue, 1_000);
      const start = performance.now();
      while (performance.now() - start < 2_200) {
        await delivery.extend({ lease: '1s' });
        expect(await queue.claim({ limit: 1 })).toEqual([]);
      }
      await delivery.ack();
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('a lease that ended and that nobody took over still settles', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const delivery = await claimOne(queue, 1);
      while ((await showJobs(bench, stand))[0]?.hold !== 'ended') {
        // The database's clock decides.
      }
      await delivery.ack();
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('await using gives an undecided row back, and leaves a decided one alone', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      {
        await using undecided = await claimOne(queue);
        expect(undecided.attempt).toBe(1);
      }
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '1', hold: 'free' }]);
      {
        await using decided = await claimOne(queue);
        await decided.ack();
      }
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('tells each row of a batch its own fate', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(Array.from({ length: 50 }, (_, n) => ({ payload: n })));
      const deliveries = await queue.claim({ limit: 50 });
      await stand.run('UPDATE jobs SET locked_until = NULL WHERE id % 10 = 0');
      const fates = await Promise.allSettled(deliveries.map((delivery) => delivery.ack()));
      const lost = deliveries.filter((_, index) => fates[index]?.status === 'rejected');
      expect(lost.map(({ row }) => row.id)).toEqual([10n, 20n, 30n, 40n, 50n]);
      expect(await stand.rows('SELECT id FROM jobs ORDER BY id')).toEqual(
        ['10', '20', '30', '40', '50'].map((id) => ({ id })),
      );
    });

    it('two workers that settle the same rows in opposite order do not deadlock', async () => {
      const stand = await openStand(bench);
      const [one, two] = [stand.connect().openLease(jobSpec), stand.connect().openLease(jobSpec)];
      await new JobQueue(stand.connect()).enqueueMany(
        Array.from({ length: 100 }, (_, n) => ({ payload: n })),
      );
      let fences = (await one.claim(100, 60_000)).rows.map((cells) => cells.slice(0, 3));
      for (let round = 0; round < 25; round += 1) {
        // Longer leases by and by: an extension within the clock's unit must still be a new fence.
        const extensions = (more: number): readonly Settlement[] =>
          fences.map((fence) => ({ verb: 'extend', fence, lease: 60_000 + 2 * round + more }));
        const [forwards, backwards] = await Promise.all([
          one.settle(extensions(1)),
          two.settle(extensions(2).toReversed()),
        ]);
        const answers = forwards.map((answer, index) => [answer, backwards.at(-1 - index)]);
        // A row that both found busy keeps its fence; nobody may fail, and never do both have it.
        fences = answers.map(([a, b], index) => {
          expect([a?.state, b?.state]).not.toContain('failed');
          const done = [a, b].filter((answer) => answer?.state === 'done');
          expect(done.length).toBeLessThan(2);
          const [winner] = done;
          const [id, held, attempt] = fences[index] ?? [];
          const now = winner?.state === 'done' ? winner.held : held;
          return [id ?? null, now ?? null, attempt ?? null];
        });
      }
      const acks = fences.map((fence) => ({ verb: 'ack', fence }) as const);
      const states = (await Promise.all([one.settle(acks), two.settle(acks.toReversed())])).flatMap(
        (answers) => answers.map(({ state }) => state),
      );
      expect(states).not.toContain('failed');
      expect(states.filter((state) => state === 'done')).toHaveLength(
        100 - (await stand.rows('SELECT id FROM jobs')).length,
      );
    });

    it('a delivery claimed by hand is not extended unasked', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const delivery = await claimOne(queue, 100);
      expect(delivery.signal.aborted).toBe(false);
      expect((await claimWhenDue(new JobQueue(stand.connect()))).attempt).toBe(2);
    });
  });
}
