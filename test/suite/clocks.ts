import { describe, expect, it, onTestFinished, vi } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { HostClockedQueue, JobQueue } from '../generated/index.js';
import { claimOne, claimWhenDue, gate, openStand, showJobs, until } from './support.js';

const tenMinutes = 600_000;

/** Replaces the host's clock, and nothing else, until the test ends. Timers and databases go on. */
function shiftHostClock(by: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now + by });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Every decision about leases is the database's. */
export function describeClocks(bench: Bench): void {
  describe.each([-tenMinutes, tenMinutes])('with a host clock that is %i ms off', (shift) => {
    it('a lease runs as long as it should', async () => {
      const stand = await openStand(bench);
      const right = new JobQueue(stand.connect());
      await right.enqueue({ payload: 1 });
      await claimOne(right, 60_000);
      shiftHostClock(shift);
      const wrong = new JobQueue(stand.connect());
      expect(await wrong.claim({ limit: 1 })).toEqual([]);
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '2', hold: 'held' }]);
    });

    it('a claim of its own holds, extends, ends and settles', async () => {
      const stand = await openStand(bench);
      const right = new JobQueue(stand.connect());
      await right.enqueue({ payload: 1 });
      shiftHostClock(shift);
      const wrong = new JobQueue(stand.connect());
      const delivery = await claimOne(wrong, 60_000);
      expect(await showJobs(bench, stand)).toEqual([{ id: '1', attempt: '2', hold: 'held' }]);
      await delivery.extend({ lease: 60_000 });
      expect(await right.claim({ limit: 1 })).toEqual([]);
      await delivery.extend({ lease: 50 });
      const taken = await claimWhenDue(right, 60_000);
      expect(taken.attempt).toBe(2);
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'lease-lost' });
      await taken.ack();
    });

    it('a delayed retry waits as long as it should', async () => {
      const stand = await openStand(bench);
      shiftHostClock(shift);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const delivery = await claimOne(queue);
      const start = performance.now();
      await delivery.retry({ after: 200 });
      const again = await claimWhenDue(queue);
      expect(performance.now() - start).toBeGreaterThanOrEqual(199);
      expect(again.attempt).toBe(2);
    });

    it('a clock that jumps while a handler runs neither aborts it nor loses its row', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const entered = gate();
      const leave = gate();
      const aborted: boolean[] = [];
      const kinds: string[] = [];
      const worker = queue.work(
        async (_, { signal }) => {
          entered.open();
          await leave.passed;
          aborted.push(signal.aborted);
        },
        {
          concurrency: 1,
          lease: '1s',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      await entered.passed;
      shiftHostClock(shift);
      const rounds = (): number => kinds.filter((kind) => kind === 'extended').length;
      await until('three extensions', () => rounds() >= 3);
      expect(await new JobQueue(stand.connect()).claim({ limit: 1 })).toEqual([]);
      leave.open();
      await until('the row is gone', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(aborted).toEqual([false]);
    });
  });

  it('only a table that says so lives by the host', async () => {
    const stand = await openStand(bench);
    const queue = new HostClockedQueue(stand.connect());
    await queue.enqueue({});
    await claimOne(queue, 60_000);
    expect(await queue.claim({ limit: 1 })).toEqual([]);
    shiftHostClock(61_000);
    const taken = await claimOne(queue);
    expect(taken.attempt).toBe(2);
    await taken.ack();
    expect(await stand.rows('SELECT id FROM host_clocked_jobs')).toEqual([]);
  });
}
