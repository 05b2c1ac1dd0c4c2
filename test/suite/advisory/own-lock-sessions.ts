import type { OwnLock } from 'inbox-runtime/v1';
import { describe, expect, it } from 'vitest';

import type { ServerBench } from '../../databases/bench.js';
import { ownLocks } from '../../databases/own-locks.js';
import { CustomJobQueue } from '../../generated/index.js';
import { only, until } from '../support.js';
import { openHoldStand, untilEmpty } from '../holds/support.js';
import { customJobs } from '../holds/table.js';

/** What becomes of the connection when a function of the author's own fails. */
export function describeOwnLockSessions(bench: ServerBench): void {
  const functions = ownLocks[bench.name];
  const row = { accountId: 1n, payload: 1 };

  describe('lock functions and connections', () => {
    it('lock that fails after it has locked: the connection is closed, and the lock free', async () => {
      const stand = await openHoldStand(bench);
      const own: OwnLock = {
        async lock(connection, key) {
          await functions.lock(connection, key);
          throw new Error('and yet it failed');
        },
        unlock: (connection, key) => functions.unlock(connection, key),
      };
      const queue = new CustomJobQueue(stand.connect(), own);
      await queue.enqueue(row);
      await expect(queue.claim()).rejects.toThrow('and yet it failed');
      await until('its connection is closed', async () => (await stand.sessions()) === 0);
      const delivery = only(await new CustomJobQueue(stand.connect(), functions).claim());
      expect(delivery.attempt).toBe(1);
      await delivery.ack();
    });

    it.each([
      ['answers false', () => Promise.resolve(false)],
      ['rejects', () => Promise.reject(new Error('no answer'))],
      [
        'throws',
        () => {
          throw new Error('no answer');
        },
      ],
    ])('unlock that %s: the connection is closed, and that is counted', async (_, unlock) => {
      const stand = await openHoldStand(bench);
      const own: OwnLock = { lock: (connection, key) => functions.lock(connection, key), unlock };
      await new CustomJobQueue(stand.connectWith({}).database, functions).enqueueMany([row, row]);
      const worker = new CustomJobQueue(stand.connect(), own).work(() => undefined, {
        poll: '20ms',
      });
      await untilEmpty(stand, customJobs);
      expect(await worker.stop()).toMatchObject({ acked: 2, lost: 0, connectionsClosed: 2 });
      expect(await stand.held()).toEqual([]);
    });
  });
}
