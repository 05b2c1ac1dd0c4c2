import type { InboxDatabase } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench, Databases } from '../databases/bench.js';
import { claimOne, claimWhenDue, connectOddly, openStand } from './support.js';

/** What the suite needs of a queue, whatever its table. */
export interface AnyQueue {
  enqueue(row: Readonly<Record<string, never>>): Promise<unknown>;
  claim(options: { limit: number; lease?: number }): Promise<readonly AnyDelivery[]>;
}

interface AnyDelivery {
  readonly attempt: number | null;
  ack(): Promise<void>;
  release(): Promise<void>;
  retry(options?: { after: number }): Promise<void>;
  extend(options: { lease: number }): Promise<void>;
}

/** A table of `fixtures/suite` whose expiry has a type of its own. */
export interface ExpiryTable {
  readonly table: string;
  readonly queue: (database: InboxDatabase<Databases>) => AnyQueue;
  /** What the column cannot tell apart, in milliseconds: a lease may last that much longer. */
  readonly coarseness: number;
}

/** Every type that an expiry may have, under every odd setting: claim, extend, settle, wait. */
export function describeExpiries(bench: Bench, tables: readonly ExpiryTable[]): void {
  const plain = { title: 'nothing odd', connect: undefined };
  describe.each(tables)('an expiry in $table', ({ table, queue: queueOn, coarseness }) => {
    it.each([plain, ...bench.oddities])('settles with $title', async (oddity) => {
      const stand = await openStand(bench);
      const other = queueOn(stand.connect());
      const queue = queueOn(
        oddity.connect === undefined ? stand.connect() : connectOddly(stand, oddity),
      );
      for (let row = 0; row < 4; row += 1) {
        await queue.enqueue({});
      }
      // Several claims, so that their fences differ where the column can tell.
      const deliveries = [await claimOne(queue), await claimOne(queue), await claimOne(queue)];
      // An expiry means the same moment to every session, whoever wrote it.
      const theirs = await claimOne(other);
      expect(await other.claim({ limit: 5 })).toEqual([]);
      expect(await queue.claim({ limit: 5 })).toEqual([]);
      await theirs.release();
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: 90_000 })));
      await deliveries[0]?.extend({ lease: 100_000 });
      await Promise.all([
        deliveries[0]?.ack(),
        deliveries[1]?.retry({ after: 3_600_000 }),
        deliveries[2]?.release(),
      ]);
      expect(await stand.rows(`SELECT id FROM ${table} ORDER BY id`)).toEqual([
        { id: '2' },
        { id: '3' },
        { id: '4' },
      ]);
      // The retried one waits, the released one and the last are due.
      expect(await other.claim({ limit: 1 })).toHaveLength(1);
      expect(await queue.claim({ limit: 5 })).toHaveLength(1);
      expect(await other.claim({ limit: 5 })).toEqual([]);
    });

    it('ends when it should, and not before', async () => {
      const stand = await openStand(bench);
      const queue = queueOn(stand.connect());
      await queue.enqueue({});
      const start = performance.now();
      const first = await claimOne(queue, 200);
      const claimed = performance.now();
      const second = await claimWhenDue(queue);
      const ended = performance.now();
      expect(ended - start).toBeGreaterThanOrEqual(198);
      expect(ended - claimed).toBeLessThan(200 + coarseness + 1_000);
      await expect(first.ack()).rejects.toMatchObject({ code: 'lease-lost' });
      await second.ack();
      expect(await stand.rows(`SELECT id FROM ${table}`)).toEqual([]);
    });
  });
}
