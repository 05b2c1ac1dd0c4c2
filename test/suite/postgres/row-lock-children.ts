import { postgres } from 'inbox-runtime/pg';
import { describe, expect, it } from 'vitest';

import { postgresBench } from '../../databases/postgres.js';
import { LockedJobQueue } from '../../generated/index.js';
import { openHoldStand } from '../holds/support.js';
import { until } from '../support.js';

/** What a handler may do to its own row's surroundings on another connection. */
export function describeRowLockChildren(): void {
  describe('rows that refer to a row in work', () => {
    it('are inserted by its handler on a connection of its own without waiting', async () => {
      const stand = await openHoldStand(postgresBench);
      await stand.run('CREATE TABLE notes (job BIGINT REFERENCES locked_jobs ON DELETE CASCADE)');
      const pool = stand.pool({ max: 2, options: '-c lock_timeout=2s' });
      const queue = new LockedJobQueue(postgres(pool));
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
      const failures: unknown[] = [];
      let noted = 0;
      const worker = queue.work(
        async ({ id }) => {
          await pool.query('INSERT INTO notes VALUES ($1)', [id]);
          noted += 1;
        },
        {
          poll: '20ms',
          on: (event) => {
            if ('error' in event) failures.push(event.error);
          },
        },
      );
      await until(
        'all are done',
        async () => (await stand.rows('SELECT id FROM locked_jobs')).length === 0,
      );
      await worker.stop();
      expect(failures).toEqual([]);
      expect(noted).toBe(2);
    });
  });
}
