import { describe, expect, it } from 'vitest';

import type { ServerBench } from '../../databases/bench.js';
import { gate, until } from '../support.js';
import { claimOne, numbers, openHoldStand, untilEmpty } from '../holds/support.js';
import { rowLockTables } from '../holds/table.js';

/** The transaction of a row in work: open as long as it, and in nobody's way. */
export function describeTransactions(bench: ServerBench): void {
  const [table] = rowLockTables;
  if (table === undefined) throw new Error('there is no row-lock table');

  describe('transactions', () => {
    it('are open while a handler runs, one for each row, and not a moment longer', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add(numbers(3));
      const leave = gate();
      let running = 0;
      const worker = queue.work(
        async () => {
          running += 1;
          await leave.passed;
        },
        { concurrency: 3, poll: '1h' },
      );
      await until('three handlers run', () => running === 3);
      await until('there are three transactions', async () => {
        const held = await stand.held();
        return held.length === 3 && held.every((what) => what.startsWith('transaction'));
      });
      leave.open();
      await untilEmpty(stand, table);
      await worker.stop();
      expect(await stand.held()).toEqual([]);
    });

    it('are READ COMMITTED where SERIALIZABLE is the default: claims side by side do not fail', async () => {
      const stand = await openHoldStand(bench);
      await table.queue(stand.connect()).add(numbers(200));
      const failures: unknown[] = [];
      const seen: unknown[] = [];
      const workers = [1, 2].map(() =>
        table.queue(stand.connectWith({ serializable: true }).database).work(
          ({ payload }) => {
            seen.push(payload);
          },
          {
            concurrency: 6,
            poll: '10ms',
            on: (event) => {
              if (event.kind.endsWith('-failed') || event.kind === 'lost') failures.push(event);
            },
          },
        ),
      );
      await untilEmpty(stand, table);
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(failures).toEqual([]);
      expect(seen.length).toBe(200);
      expect(new Set(seen).size).toBe(200);
    });

    it.each([false, true])(
      'block no producer, before, between or behind the rows in work (SERIALIZABLE by default: %s)',
      async (serializable) => {
        const stand = await openHoldStand(bench);
        const payload = bench.json('1');
        const insert = (id: number): string =>
          `INSERT INTO ${table.table} (id, payload) VALUES (${id}, ${payload})`;
        for (const id of [1_000, 2_000, 3_000]) await stand.run(insert(id));
        const queue = table.queue(stand.connectWith({ serializable }).database);
        const deliveries = await queue.claim({ limit: 3 });
        expect(deliveries).toHaveLength(3);
        // Behind these a claim has found nothing.
        expect(await queue.claim()).toEqual([]);
        // A producer that would rather fail than wait, in the isolation that it has by default.
        const producer = stand.connectWith({ statementLimit: 1 });
        for (const id of [500, 1_500, 2_500, 3_500]) await producer.query(insert(id));
        await table.queue(producer.database).add(numbers(20));
        for (const delivery of deliveries) await delivery.ack();
        expect(await stand.rows(`SELECT id FROM ${table.table}`)).toHaveLength(24);
      },
    );

    it('read what others committed after they began', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connectWith({ serializable: true }).database);
      await queue.add(numbers(2));
      const first = await claimOne(queue);
      const [late] = await table.queue(stand.connect()).add([3]);
      const second = await claimOne(queue);
      const third = await claimOne(queue);
      expect(third.row.id).toBe(late);
      for (const delivery of [first, second, third]) await delivery.ack();
    });
  });
}
