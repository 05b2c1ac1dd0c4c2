import { describe, expect, it } from 'vitest';

import type { FamilyBench } from '../../databases/mysql-family.js';
import { KeyedJobQueue, LockedJobQueue } from '../../generated/index.js';
import { openHoldStand } from '../holds/support.js';
import { only } from '../support.js';

/** What decision 015 says of rows that refer to a row in work. */
export function describeRowLockChildren(bench: FamilyBench): void {
  describe(`rows that refer to a row in work on ${bench.name}`, () => {
    it('wait for a row lock by its primary key, not by another unique key, and for no advisory lock', async () => {
      const stand = await openHoldStand(bench);
      await stand.run(`
        ALTER TABLE locked_jobs ADD COLUMN number INTEGER UNIQUE;
        CREATE TABLE notes (job BIGINT, FOREIGN KEY (job) REFERENCES locked_jobs (id));
        CREATE TABLE others (number INTEGER, FOREIGN KEY (number) REFERENCES locked_jobs (number));
        CREATE TABLE keyed_notes (job BIGINT, FOREIGN KEY (job) REFERENCES keyed_jobs (id))`);
      const locked = new LockedJobQueue(stand.over(stand.pool()));
      const keyed = new KeyedJobQueue(stand.over(stand.pool()));
      const id = await locked.enqueue({ payload: 1 });
      await stand.run('UPDATE locked_jobs SET number = 7');
      await keyed.enqueue({ payload: 1, accountId: 1n });
      const deliveries = [only(await locked.claim()), only(await keyed.claim())];
      const other = stand.pool({}, 'SET SESSION innodb_lock_wait_timeout = 1');
      await expect(other.query('INSERT INTO notes VALUES (?)', [id])).rejects.toMatchObject({
        errno: 1205,
      });
      await other.query('INSERT INTO others VALUES (7)');
      await other.query('INSERT INTO keyed_notes VALUES (?)', [deliveries[1]?.row.id]);
      for (const delivery of deliveries) await delivery.release();
      await other.query('INSERT INTO notes VALUES (?)', [id]);
    });
  });
}
