import type { OwnLock } from 'inbox-runtime/v1';
import { describe, expect, it } from 'vitest';

import type { Bench } from '../../databases/bench.js';
import { ownLocks } from '../../databases/own-locks.js';
import { CustomJobQueue } from '../../generated/index.js';
import { gate, only, until } from '../support.js';
import { numbers, openHoldStand, untilEmpty } from '../holds/support.js';
import { customJobs } from '../holds/table.js';

const rows = (count: number, accountId?: bigint): { accountId: bigint; payload: number }[] =>
  numbers(count).map((n) => ({ accountId: accountId ?? BigInt(n + 1), payload: n }));

/** Functions of the author's own for lock and unlock, on any database. */
export function describeOwnLock(bench: Bench): void {
  const functions = ownLocks[bench.name];

  describe('lock functions', () => {
    it('keep the rows of a key one at a time, and get the key as the database renders it', async () => {
      const stand = await openHoldStand(bench);
      const locked: string[] = [];
      const unlocked: string[] = [];
      const own: OwnLock = {
        async lock(connection, key) {
          const done = await functions.lock(connection, key);
          if (done) locked.push(key);
          return done;
        },
        async unlock(connection, key) {
          unlocked.push(key);
          return functions.unlock(connection, key);
        },
      };
      let running = 0;
      let most = 0;
      const seen: number[] = [];
      await new CustomJobQueue(stand.connect(), own).enqueueMany(rows(20, 7n));
      const workers = [1, 2].map(() =>
        new CustomJobQueue(stand.connect(), own).work(
          async ({ payload }) => {
            running += 1;
            most = Math.max(most, running);
            seen.push(Number(payload));
            await new Promise((resolve) => setTimeout(resolve, 1));
            running -= 1;
          },
          { concurrency: 3, poll: '20ms' },
        ),
      );
      await untilEmpty(stand, customJobs, 20_000);
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(most).toBe(1);
      expect(seen.toSorted((a, b) => a - b)).toEqual(numbers(20));
      expect(new Set(locked)).toEqual(new Set(['custom-7']));
      // Some locks were taken for a row that somebody else had just finished.
      expect(locked.length).toBeGreaterThanOrEqual(20);
      expect(unlocked).toHaveLength(locked.length);
    });

    it('are asked past the rows in work, without waiting for a poll', async () => {
      const stand = await openHoldStand(bench);
      const queue = new CustomJobQueue(stand.connect(), functions);
      await queue.enqueueMany(rows(3));
      const leave = gate();
      const entered: unknown[] = [];
      const worker = queue.work(
        async ({ payload }) => {
          entered.push(payload);
          await leave.passed;
        },
        { concurrency: 3, poll: '1h' },
      );
      await until('all three are in work', () => entered.length === 3);
      leave.open();
      await untilEmpty(stand, customJobs);
      await worker.stop();
      // Two claims in flight may overtake each other, so their order is nobody's promise.
      expect(entered.toSorted()).toEqual([0, 1, 2]);
    });

    it('that say no let the claim go on to the next row', async () => {
      const stand = await openHoldStand(bench);
      const asked: string[] = [];
      const own: OwnLock = {
        lock(connection, key) {
          asked.push(key);
          return key === 'custom-1' ? Promise.resolve(false) : functions.lock(connection, key);
        },
        unlock: (connection, key) => functions.unlock(connection, key),
      };
      const queue = new CustomJobQueue(stand.connect(), own);
      await queue.enqueueMany(rows(2));
      const delivery = only(await queue.claim());
      expect(delivery.row.accountId).toBe(2n);
      expect(asked).toEqual(['custom-1', 'custom-2']);
      await delivery.ack();
      expect(await queue.claim()).toEqual([]);
    });

    it('of which lock fails: the claim fails, and the worker claims again a second later', async () => {
      const stand = await openHoldStand(bench);
      let calls = 0;
      const own: OwnLock = {
        lock(connection, key) {
          calls += 1;
          if (calls <= 2) throw new Error('the lock service is away');
          return functions.lock(connection, key);
        },
        unlock: (connection, key) => functions.unlock(connection, key),
      };
      const queue = new CustomJobQueue(stand.connect(), own);
      await queue.enqueueMany(rows(1));
      await expect(queue.claim()).rejects.toMatchObject({ queue: 'CustomJob' });
      const failures: { readonly at: number; readonly error: unknown }[] = [];
      const worked = gate<number>();
      const worker = queue.work(
        () => {
          worked.open(performance.now());
        },
        {
          poll: '5ms',
          on: (event) => {
            if (event.kind === 'claim-failed') {
              failures.push({ at: performance.now(), error: event.error });
            }
          },
        },
      );
      const { at, error } = only((await worked.passed, failures));
      expect((await worked.passed) - at).toBeGreaterThanOrEqual(950);
      expect(String(error)).toContain('the lock service is away');
      await untilEmpty(stand, customJobs);
      await worker.stop();
    });

    it('of which unlock fails: the row is settled all the same', async () => {
      const stand = await openHoldStand(bench);
      let fails = true;
      const own: OwnLock = {
        lock: (connection, key) => functions.lock(connection, key),
        async unlock(connection, key) {
          await functions.unlock(connection, key);
          if (fails) throw new Error('the lock service is away');
          return true;
        },
      };
      const queue = new CustomJobQueue(stand.connect(), own);
      await queue.enqueueMany(rows(2));
      await only(await queue.claim()).ack();
      fails = false;
      await only(await queue.claim()).ack();
      expect(await stand.rows('SELECT id FROM custom_jobs')).toEqual([]);
    });
  });
}
