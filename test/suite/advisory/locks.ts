import { describe, expect, it } from 'vitest';

import type { ServerBench } from '../../databases/bench.js';
import { gate, only, until } from '../support.js';
import {
  claimOne,
  claimWhenFree,
  counted,
  heldAttempt,
  openHoldStand,
  showRows,
  shown,
  untilEmpty,
} from '../holds/support.js';
import { advisoryTables } from '../holds/table.js';

/** The locks of an advisory table on a server, and what becomes of a delivery without its lock. */
export function describeLocks(bench: ServerBench): void {
  describe.each(advisoryTables)('locks of $title', (table) => {
    it('are one for each row in work, with no transaction open', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1, 2, 3]);
      const deliveries = await queue.claim({ limit: 3 });
      const held = await stand.held();
      expect(held).toHaveLength(3);
      expect(held.filter((what) => !what.startsWith('lock'))).toEqual([]);
      for (const delivery of deliveries) await delivery.ack();
    });

    it('that a session no longer has: nothing is settled, and its connection is closed', async () => {
      const stand = await openHoldStand(bench);
      for (const verb of ['ack', 'retry', 'drop', 'release'] as const) {
        const { database, onEach } = stand.connectWith({});
        const queue = table.queue(database);
        const [id] = await queue.add([verb]);
        const delivery = await claimOne(queue);
        await onEach(bench.unlockAll);
        await expect(delivery[verb]()).rejects.toMatchObject({ code: 'lock-lost', id });
        expect(await showRows(stand, table)).toEqual([shown(table, id, heldAttempt(table))]);
        await until('its connection is closed', async () => (await stand.sessions()) === 0);
        await stand.run(`DELETE FROM ${table.table}`);
      }
    });

    it('that a session no longer has are counted by its worker, and so is the connection', async () => {
      const stand = await openHoldStand(bench);
      const { database, onEach } = stand.connectWith({});
      const queue = table.queue(database);
      await queue.add([1]);
      const entered = gate();
      const leave = gate();
      const attempts: unknown[] = [];
      const worker = queue.work(
        async (_, { attempt }) => {
          attempts.push(attempt);
          entered.open();
          await leave.passed;
        },
        { poll: '20ms' },
      );
      await entered.passed;
      await onEach(bench.unlockAll);
      leave.open();
      await untilEmpty(stand, table);
      expect(await worker.stop()).toMatchObject({
        ...{ claimed: 2, acked: 1, lost: 1, failed: 0, connectionsClosed: 1 },
      });
      expect(attempts).toEqual([counted(table, 1), table.afterCrash]);
    });

    it('taken over by somebody else keep their row from the delivery that had them', async () => {
      const stand = await openHoldStand(bench);
      const { database, onEach } = stand.connectWith({});
      const queue = table.queue(database);
      const [id] = await queue.add([1]);
      const delivery = await claimOne(queue);
      await onEach(bench.unlockAll);
      const owner = await claimWhenFree(table.queue(stand.connect()));
      await expect(delivery.ack()).rejects.toMatchObject({ code: 'lock-lost', id });
      expect(await stand.rows(`SELECT id FROM ${table.table}`)).toHaveLength(1);
      await owner.ack();
      expect(await stand.rows(`SELECT id FROM ${table.table}`)).toHaveLength(0);
    });

    it('of one database are nothing to another on the server', async () => {
      const stand = await openHoldStand(bench);
      const apart = await openHoldStand({ open: () => bench.openApart() });
      const [here, there] = [stand, apart].map((each) => table.queue(each.connect()));
      if (here === undefined || there === undefined) throw new Error('there are two');
      await here.add([1], 7n);
      await there.add([1], 7n);
      const deliveries = [only(await here.claim()), only(await there.claim())];
      for (const delivery of deliveries) await delivery.ack();
    });
  });
}
