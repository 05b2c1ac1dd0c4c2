import { describe, expect, it } from 'vitest';

import type { FamilyBench, FamilyStand } from '../../databases/mysql-family.js';
import { JobQueue } from '../../generated/index.js';
import { openStand } from '../support.js';

const duration = 20_000;

/** How often a statement of any session has waited for a row that another had locked. */
async function lockWaits(stand: FamilyStand): Promise<number> {
  const [row] = await stand.rows("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'");
  return Number(row?.['Value']);
}

/** Many workers and producers on one table, for a while. */
export function describeLoad(bench: FamilyBench): void {
  describe(`sixteen workers on ${bench.name}`, () => {
    it(
      'claim, settle and enqueue side by side: no error surfaces, and nobody waits for a row',
      async () => {
        const stand = await openStand(bench);
        const pools = Array.from({ length: 4 }, () => stand.over(stand.pool()));
        const waitsBefore = await lockWaits(stand);
        const failures: unknown[] = [];
        const seen = new Set<unknown>();
        let handled = 0;
        const workers = Array.from({ length: 16 }, (_, index) =>
          new JobQueue(pools[index % pools.length] ?? stand.connect()).work(
            ({ payload }, { attempt }) => {
              handled += 1;
              seen.add(payload);
              if (attempt === 1 && Number(payload) % 20 === 0) throw new Error('once more');
            },
            {
              concurrency: 8,
              lease: '5s',
              poll: '20ms',
              backoff: () => 10,
              on: (event) => {
                if (/^(claim|settle|extend)-failed$|^lost$/.test(event.kind)) failures.push(event);
              },
            },
          ),
        );
        const end = performance.now() + duration;
        let produced = 0;
        await Promise.all(
          pools.map(async (pool) => {
            const queue = new JobQueue(pool);
            while (performance.now() < end) {
              const rows = Array.from({ length: 1 + (produced % 9) }, () => ({
                payload: (produced += 1),
              }));
              await queue.enqueueMany(rows);
            }
          }),
        );
        while (Number((await stand.rows('SELECT count(*) AS n FROM jobs'))[0]?.['n']) > 0) {
          if (performance.now() > end + 30_000) break;
        }
        await Promise.all(workers.map((worker) => worker.stop()));
        expect(failures).toEqual([]);
        expect(seen.size).toBe(produced);
        expect(handled).toBe(produced + Math.floor(produced / 20));
        expect((await lockWaits(stand)) - waitsBefore).toBe(0);
      },
      duration + 60_000,
    );
  });
}
