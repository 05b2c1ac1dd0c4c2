import { describe, expect, it } from 'vitest';

import type { Bench } from '../../databases/bench.js';
import {
  claimOne,
  claimWhenFree,
  counted,
  heldAttempt,
  numbers,
  openHoldStand,
  showRows,
  shown,
} from './support.js';
import type { HoldTable } from './table.js';

/** What a claim by hand takes and leaves, and what each settlement makes of the row. */
export function describeByHand(bench: Bench, table: HoldTable): void {
  describe('by hand', () => {
    it('a claim holds a row against everybody else until it is acknowledged', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([{ a: 1 }]);
      const delivery = await claimOne(queue);
      expect(delivery.row).toMatchObject({ id, payload: { a: 1 } });
      expect(delivery.attempt).toBe(counted(table, 1));
      expect(await queue.claim()).toEqual([]);
      expect(await table.queue(stand.connect()).claim({ limit: 5 })).toEqual([]);
      expect(await showRows(stand, table)).toEqual([shown(table, id, heldAttempt(table))]);
      await delivery.ack();
      expect(await showRows(stand, table)).toEqual([]);
      expect(await stand.held()).toEqual([]);
    });

    it('takes nothing from an empty table, and holds nothing then', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      for (let time = 0; time < 3; time += 1) {
        expect(await queue.claim({ limit: 5 })).toEqual([]);
        expect(await stand.held()).toEqual([]);
      }
    });

    it('takes no more than its limit, the first rows first', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const ids = await queue.add(numbers(7));
      const first = await queue.claim({ limit: 3 });
      expect(first.map(({ row }) => row.id)).toEqual(ids.slice(0, 3));
      const others = await table.queue(stand.connect()).claim({ limit: 10 });
      expect(others.map(({ row }) => row.id)).toEqual(ids.slice(3));
      await Promise.all([...first, ...others].map((delivery) => delivery.ack()));
      expect(await showRows(stand, table)).toEqual([]);
    });

    it('a retry gives the row back at once, counted', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      await (await claimOne(queue)).retry();
      expect(await showRows(stand, table)).toEqual([shown(table, id, 2)]);
      const again = await claimOne(table.queue(stand.connect()));
      expect(again.attempt).toBe(counted(table, 2));
      await again.retry();
      const last = await claimOne(queue);
      expect(last.attempt).toBe(counted(table, 3));
      await last.ack();
    });

    it('a release gives the row back at once, not counted', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      await (await claimOne(queue)).release();
      expect(await showRows(stand, table)).toEqual([shown(table, id, 1)]);
      const again = await claimOne(table.queue(stand.connect()));
      expect(again.attempt).toBe(counted(table, 1));
      await again.ack();
    });

    it('a drop finishes the row', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      await (await claimOne(queue)).drop('unwanted');
      expect(await showRows(stand, table)).toEqual([]);
    });

    it('the end of a scope gives back what was not settled in it', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const ids = await queue.add(numbers(2));
      const failing = async (): Promise<void> => {
        await using delivery = await claimOne(queue);
        throw new Error(`row ${delivery.row.id} is left undecided`);
      };
      await expect(failing()).rejects.toThrow('undecided');
      expect(await showRows(stand, table)).toEqual(ids.map((id) => shown(table, id, 1)));
      {
        await using delivery = await claimOne(queue);
        await delivery.ack();
      }
      expect(await showRows(stand, table)).toEqual([shown(table, ids[1], 1)]);
    });

    it('a delivery is settled once', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      const delivery = await claimOne(queue);
      await delivery.retry();
      for (const verb of ['ack', 'retry', 'drop', 'release'] as const) {
        await expect(delivery[verb]()).rejects.toMatchObject({ code: 'already-settled', id });
      }
      expect(await showRows(stand, table)).toEqual([shown(table, id, 2)]);
    });

    it('a row that was deleted while it was free is not delivered', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [first, second] = await queue.add(numbers(2));
      await stand.run(`DELETE FROM ${table.table} WHERE id = ${String(first)}`);
      const delivery = await claimWhenFree(queue);
      expect(delivery.row.id).toBe(second);
      await delivery.ack();
      expect(await queue.claim()).toEqual([]);
    });
  });
}
