import { postgres } from 'inbox-runtime/pg';
import { describe, expect, it } from 'vitest';

import { postgresBench } from '../../databases/postgres.js';
import { BillingJobQueue, HashedJobQueue } from '../../generated/index.js';
import { openHoldStand } from '../holds/support.js';
import { only, until } from '../support.js';

/** Locks in SQL of the author's own, shared with programs that know nothing of queues. */
export function describePostgresOwnLocks(): void {
  describe('own locks in SQL', () => {
    it('a billing job that holds the account keeps its rows waiting, and no others', async () => {
      const stand = await openHoldStand(postgresBench);
      const queue = new BillingJobQueue(postgres(stand.pool()));
      const billing = await stand.client();
      await billing.query('SELECT pg_advisory_lock(7)');
      await queue.enqueueMany([
        { accountId: 7n, payload: 'waits' },
        { accountId: 8n, payload: 'goes on' },
        { accountId: 9n, payload: 'goes on' },
      ]);
      const seen: unknown[] = [];
      const worker = queue.work(
        ({ accountId }) => {
          seen.push(accountId);
        },
        { concurrency: 2, poll: '20ms' },
      );
      await until('the others are done', () => seen.length === 2);
      expect(seen.toSorted()).toEqual([8n, 9n]);
      await billing.query('SELECT pg_advisory_unlock(7)');
      await until('the account is done', () => seen.length === 3);
      await worker.stop();
      expect(seen.at(-1)).toBe(7n);
      expect(await stand.rows('SELECT id FROM billing_jobs')).toEqual([]);
    });

    it('a row in work keeps the billing job waiting, under the number that it uses', async () => {
      const stand = await openHoldStand(postgresBench);
      const queue = new BillingJobQueue(postgres(stand.pool()));
      const billing = await stand.client();
      const lock = async (key: number): Promise<unknown> =>
        (await billing.query<{ ok: unknown }>('SELECT pg_try_advisory_lock($1) AS ok', [key]))
          .rows[0]?.ok;
      await queue.enqueueMany([{ accountId: 7n, payload: 1 }]);
      const delivery = only(await queue.claim());
      expect(delivery.lockKey).toBe('7');
      expect([await lock(7), await lock(8)]).toEqual([false, true]);
      await delivery.ack();
      expect(await lock(7)).toBe(true);
    });

    it('a lock of 32 bits is the one of hashtext, and nothing else is locked', async () => {
      const stand = await openHoldStand(postgresBench);
      const queue = new HashedJobQueue(postgres(stand.pool()));
      await queue.enqueueMany([
        { accountId: 7n, payload: 1 },
        { accountId: 7n, payload: 2 },
        { accountId: 8n, payload: 3 },
      ]);
      const deliveries = await queue.claim({ limit: 3 });
      expect(deliveries.map(({ row }) => row.payload)).toEqual([1, 3]);
      const locks = await stand.rows(
        `SELECT (classid::bigint << 32 | objid::bigint) AS key FROM pg_locks
         WHERE locktype = 'advisory'
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      const hashes = await stand.rows(
        `SELECT hashtext('hashed-7')::bigint AS key UNION ALL SELECT hashtext('hashed-8')::bigint`,
      );
      const keysOf = (rows: typeof locks): readonly (string | null | undefined)[] =>
        rows.map(({ key }) => key).toSorted();
      expect(keysOf(locks)).toEqual(keysOf(hashes));
      for (const delivery of deliveries) await delivery.ack();
      await only(await queue.claim()).ack();
    });
  });
}
