import type { Connection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';

import type { FamilyBench } from '../../databases/mysql-family.js';
import { bareKeyedJobSpec, keyedJobSpec, lockedJobSpec } from '../../generated/index.js';
import type { Answer, AnySpec, Bound } from '../locks/bound.js';
import { openStand } from '../support.js';
import { begin, fill } from './lock-tables.js';
import { runStatement } from './run-statement.js';

/** What the lock of a held row holds up, and what it does not; and who may settle the row. */
export function describeHeldRows(bench: FamilyBench): void {
  const run = (
    connection: Connection,
    spec: AnySpec,
    name: string,
    bound?: Bound,
  ): Promise<Answer> => runStatement(connection, bench.name, spec, name, bound);

  describe(`what locks hold up on ${bench.name}`, () => {
    it('an advisory claim reaches past hundreds of rows whose keys are held', async () => {
      const stand = await openStand(bench);
      await fill(stand, 'keyed_jobs', 500);
      await stand.run('UPDATE keyed_jobs SET account_id = 1 WHERE id <= 200');
      const [client, other] = [await stand.connection(), await stand.connection()];
      await other.query(
        `SELECT SUM(GET_LOCK(CONCAT('${stand.schema}.jobs-', account_id), 0))
         FROM (SELECT DISTINCT account_id FROM keyed_jobs WHERE id < 500) AS held`,
      );
      const bound = { candidates: 9 };
      expect((await run(client, keyedJobSpec, 'claim', bound)).rows).toEqual([
        [`${stand.schema}.jobs-500`, 'jobs-500', '500'],
      ]);
      expect((await run(client, keyedJobSpec, 'claim', bound)).rows).toEqual([]);
      expect((await run(client, keyedJobSpec, 'due', bound)).rows).toEqual([]);
    });

    it('as many rows are due as there are whose keys are free', async () => {
      const stand = await openStand(bench);
      await fill(stand, 'keyed_jobs', 3);
      const client = await stand.connection();
      await run(client, keyedJobSpec, 'claim', { candidates: 9 });
      expect((await run(client, keyedJobSpec, 'due', { candidates: 2 })).rows).toHaveLength(1);
      expect((await run(client, keyedJobSpec, 'due', { candidates: 3 })).rows).toEqual([]);
    });

    it('a child waits for the row lock of its job, but not where it names another unique key', async () => {
      const stand = await openStand(bench);
      await stand.run('ALTER TABLE locked_jobs ADD COLUMN code BIGINT UNIQUE');
      await stand.run(
        'CREATE TABLE children (job BIGINT, FOREIGN KEY (job) REFERENCES locked_jobs (id))',
      );
      await stand.run(
        'CREATE TABLE others (code BIGINT, FOREIGN KEY (code) REFERENCES locked_jobs (code))',
      );
      await stand.run("INSERT INTO locked_jobs (id, code, payload) VALUES (1, 7, '1')");
      const [client, other] = [await stand.connection(), await stand.connection()];
      await begin(client);
      await run(client, lockedJobSpec, 'claim', { candidates: 42 });
      await other.query('SET innodb_lock_wait_timeout = 1');
      await expect(other.query('INSERT INTO children VALUES (1)')).rejects.toMatchObject({
        errno: 1205,
      });
      await other.query('INSERT INTO others VALUES (7)');
      await client.rollback();
      await other.query('INSERT INTO children VALUES (1)');
    });

    it('a child of a row that is held by its key is inserted at once', async () => {
      const stand = await openStand(bench);
      await fill(stand, 'keyed_jobs', 1);
      await stand.run(
        `CREATE TABLE children
         (job BIGINT, FOREIGN KEY (job) REFERENCES keyed_jobs (id) ON DELETE CASCADE)`,
      );
      const [client, other] = [await stand.connection(), await stand.connection()];
      const [[lock, , key1] = []] = (await run(client, keyedJobSpec, 'claim', { candidates: 9 }))
        .rows;
      await run(client, keyedJobSpec, 'count', { key1 });
      await other.query('SET innodb_lock_wait_timeout = 1');
      await other.query('INSERT INTO children VALUES (1)');
      const ack = await run(client, keyedJobSpec, 'ack', { key1, lock, attempt: '2' });
      expect(ack.count).toBe(1);
      expect(await stand.rows('SELECT * FROM children')).toEqual([]);
    });
  });

  describe(`a row that changes hands on ${bench.name}`, () => {
    it('is not delivered where it was settled before its key was locked', async () => {
      const stand = await openStand(bench);
      const client = await stand.connection();
      // Even a transaction that saw the row before sees it gone.
      await client.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      for (const [table, spec, verb] of [
        ['keyed_jobs', keyedJobSpec, 'count'],
        ['bare_keyed_jobs', bareKeyedJobSpec, 'take'],
      ] as const) {
        await fill(stand, table, 1);
        await client.beginTransaction();
        const [[, , key1] = []] = (await run(client, spec, 'claim', { candidates: 9 })).rows;
        expect(key1).toBe('1');
        await stand.run(`DELETE FROM ${table}`);
        expect((await run(client, spec, verb, { key1 })).count).toBe(0);
        await client.commit();
      }
    });

    it('is settled only by the session that holds its lock, and only as it was taken', async () => {
      const stand = await openStand(bench);
      await fill(stand, 'keyed_jobs', 1);
      const [client, other] = [await stand.connection(), await stand.connection()];
      const [[lock, , key1] = []] = (await run(client, keyedJobSpec, 'claim', { candidates: 9 }))
        .rows;
      await run(client, keyedJobSpec, 'count', { key1 });
      const { rows } = await run(client, keyedJobSpec, 'take', { key1 });
      expect(rows).toEqual([['1', '2', '1', '1']]);
      const fence = { lock, key1, attempt: '2' };
      for (const verb of ['ack', 'release']) {
        expect((await run(other, keyedJobSpec, verb, fence)).count).toBe(0);
        expect((await run(client, keyedJobSpec, verb, { ...fence, attempt: '3' })).count).toBe(0);
      }
      expect((await run(other, keyedJobSpec, 'unlock', fence)).rows).toEqual([['0']]);
      expect((await run(client, keyedJobSpec, 'unlock', fence)).rows).toEqual([['1']]);
      expect((await run(client, keyedJobSpec, 'unlock', fence)).rows).toEqual([[null]]);
      for (const verb of ['ack', 'release']) {
        expect((await run(client, keyedJobSpec, verb, fence)).count).toBe(0);
      }
      await client.query('SELECT GET_LOCK(?, 0)', [lock]);
      expect((await run(client, keyedJobSpec, 'release', fence)).count).toBe(1);
      expect(await stand.rows('SELECT attempt FROM keyed_jobs')).toEqual([{ attempt: '1' }]);
    });
  });
}
