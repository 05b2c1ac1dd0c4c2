import { symlinkSync } from 'node:fs';
import path from 'node:path';

import Database from 'better-sqlite3';
import { retry } from 'inbox-runtime';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { describe, expect, it } from 'vitest';

import { sqliteBench } from '../../databases/sqlite.js';
import { checkHolds } from '../../history/hold-checker.js';
import type { HoldEvent } from '../../history/hold-history.js';
import { recordHolds } from '../../processes/record-holds.js';
import { addTurns, openHoldStand, untilEmpty } from '../holds/support.js';
import { advisoryTables } from '../holds/table.js';
import { only } from '../support.js';

const rowCount = 2_000;
const keyCount = 50;

/** The keys in work that a process keeps: by file, over all of its databases. */
export function describeSqliteHolds(): void {
  describe.each(advisoryTables)('keys in work on SQLite, $title', (table) => {
    it('two workers with eight handlers each share 2,000 rows and no single one', async () => {
      const stand = await openHoldStand(sqliteBench);
      const enqueued = await addTurns(table.queue(stand.connect()), rowCount, keyCount);
      const keyOf = (id: string): string => String((Number(id) - 1) % keyCount);
      const histories = ['a', 'b'].map((process) => {
        const events: HoldEvent[] = [];
        const recorder = recordHolds(keyOf, (event) => events.push(event));
        const before = new Set<bigint>();
        const worker = table.queue(stand.connect()).work(
          async ({ id }) => {
            const first = !before.has(id);
            before.add(id);
            try {
              await new Promise((resolve) => setImmediate(resolve));
              if (first && id % 10n === 5n) throw new Error('a handler that throws');
              return first && id % 10n === 0n ? retry() : undefined;
            } finally {
              recorder.left(id);
            }
          },
          {
            ...{ concurrency: 8, poll: '20ms', backoff: () => 5 },
            on: (event) => {
              recorder.heard(event);
            },
          },
        );
        return { process, events, worker };
      });
      await untilEmpty(stand, table, 25_000);
      for (const { worker } of histories) await worker.stop();
      const counts = table.counted ? 'claim' : 'never';
      expect(checkHolds({ processes: histories, enqueued, left: [], counts, unlogged: 0 })).toEqual(
        [],
      );
      const acked = histories.map(
        ({ events }) =>
          events.filter((event) => event.kind === 'settled' && event.verb === 'ack').length,
      );
      expect(Math.min(...acked)).toBeGreaterThan(0);
      expect(acked.reduce((sum, each) => sum + each, 0)).toBe(rowCount);
    });

    it('are apart in two files, and the same under two names of one', async () => {
      const stand = await openHoldStand(sqliteBench);
      const apart = await openHoldStand(sqliteBench);
      const link = path.join(path.dirname(stand.file), 'link.db');
      symlinkSync(stand.file, link);
      const handle = new Database(link);
      const database = sqlite(handle);
      try {
        const queue = table.queue(stand.connect());
        await queue.add([1, 2], 7n);
        const delivery = only(await queue.claim());
        expect(await table.queue(database).claim()).toEqual([]);
        const other = table.queue(apart.connect());
        await other.add([1], 7n);
        await only(await other.claim()).ack();
        await delivery.ack();
        await only(await table.queue(database).claim()).ack();
      } finally {
        await database.close();
        handle.close();
      }
    });
  });
}
