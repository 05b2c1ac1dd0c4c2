import { describe, expect, it } from 'vitest';

import type { Bench } from '../../databases/bench.js';
import { connectOddly, until } from '../support.js';
import {
  claimOne,
  counted,
  numbers,
  openHoldStand,
  showRows,
  shown,
  untilEmpty,
} from './support.js';
import type { HoldTable } from './table.js';

/** Settings of driver and session that a user may have, and that must change nothing. */
export function describeHoldSettings(bench: Bench, table: HoldTable): void {
  describe('settings', () => {
    it.each(bench.oddities)('$title', async (oddity) => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(connectOddly(stand, oddity));
      await queue.check();
      const payload = { text: 'it’s "quoted" \\ and 😀', n: 9_007_199_254_740_991, flag: true };
      const [id] = await queue.add([payload]);
      for (const [verb, attempt] of [
        ['retry', 1],
        ['release', 2],
        ['retry', 2],
        ['ack', 3],
      ] as const) {
        expect(await showRows(stand, table)).toEqual([shown(table, id, attempt)]);
        const delivery = await claimOne(queue);
        expect(delivery.row).toMatchObject({ id, payload });
        expect(delivery.attempt).toBe(counted(table, attempt));
        expect(await queue.claim()).toEqual([]);
        await delivery[verb]();
      }
      await queue.add(numbers(20));
      const seen: unknown[] = [];
      const worker = queue.work(
        (row) => {
          seen.push(row.payload);
        },
        { concurrency: 4, poll: '20ms' },
      );
      await untilEmpty(stand, table);
      await until('the handlers are done', () => seen.length === 20);
      expect(await worker.stop()).toMatchObject({ acked: 20, lost: 0, failed: 0, retried: 0 });
    });
  });
}
