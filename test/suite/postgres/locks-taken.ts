import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBench, type PostgresStand } from '../../databases/postgres.js';
import {
  bareKeyedJobSpec,
  bareLockedJobSpec,
  keyedJobSpec,
  lockedJobSpec,
} from '../../generated/index.js';
import { openStand, until } from '../support.js';
import { runStatement } from './run-statement.js';

const planners = [
  ...['seqscan', 'indexscan', 'bitmapscan', 'hashjoin', 'nestloop', 'mergejoin', 'material'],
  'sort',
] as const;

/**
 * Every way to forbid the planner some of its means, or each `step`th of them. What is forbidden is
 * dear, and a server with a compiler would compile what is dear, for a third of a second each.
 */
function plans(step: number): readonly string[] {
  const count = Math.ceil(2 ** planners.length / step);
  return Array.from({ length: count }, (_, index) =>
    [
      'SET jit = off',
      ...planners.map(
        (name, bit) => `SET enable_${name} = ${((index * step) >> bit) & 1 ? 'off' : 'on'}`,
      ),
    ].join('; '),
  );
}

/** Fills a table, with statistics of what it holds, of what it does not hold any more, or none. */
async function fill(
  stand: PostgresStand,
  table: string,
  { count, statistics }: { readonly count: number; readonly statistics: string },
): Promise<void> {
  await stand.run(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  const column = table.includes('keyed') ? 'account_id, ' : '';
  const value = table.includes('keyed') ? 'n, ' : '';
  const insert = (rows: number): Promise<void> =>
    stand.run(
      `INSERT INTO ${table} (${column}payload) SELECT ${value}'1' FROM generate_series(1, ${rows}) AS n`,
    );
  if (statistics === 'stale') {
    await insert(count > 100 ? 3 : 10_000);
    await stand.run(`ANALYZE ${table}`);
    await stand.run(`TRUNCATE ${table} RESTART IDENTITY`);
  }
  await insert(count);
  if (statistics === 'fresh') await stand.run(`ANALYZE ${table}`);
}

/** How many rows of a table no open transaction has locked. */
async function unlocked(stand: PostgresStand, table: string): Promise<number> {
  const [row] = await stand.rows(
    `SELECT count(*) AS n FROM (SELECT id FROM ${table} FOR UPDATE SKIP LOCKED) AS free`,
  );
  return Number(row?.['n']);
}

/** The session locks of a client, as numbers. */
async function sessionLocks(
  stand: PostgresStand,
  client: pg.Client,
): Promise<readonly (string | null | undefined)[]> {
  const rows = await stand.rows(
    `SELECT (classid::bigint << 32) | objid::bigint AS lock FROM pg_locks
     WHERE locktype = 'advisory' AND pid = ${await backendOf(client)}`,
  );
  return rows.map(({ lock }) => lock);
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

const sizes = [
  ['one row', { count: 1, step: 5 }],
  ['three rows', { count: 3, step: 5 }],
  ['10,000 rows', { count: 10_000, step: 17 }],
] as const;

/** That the locks of one claim are those of the row that it answers, whatever the plan. */
export function describeLocksTaken(): void {
  describe.each(['none', 'fresh', 'stale'])('locks taken with statistics: %s', (statistics) => {
    it.each(sizes)('a row-lock claim of %s locks the row that it returns', async (_, size) => {
      const stand = await openStand(postgresBench);
      const client = await stand.client();
      for (const [table, spec] of [
        ['locked_jobs', lockedJobSpec],
        ['bare_locked_jobs', bareLockedJobSpec],
      ] as const) {
        await fill(stand, table, { count: size.count, statistics });
        for (const plan of plans(size.step)) {
          await client.query(plan);
          await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
          const { rows } = await runStatement(client, spec, 'claim');
          expect(
            rows.map(([id]) => id),
            plan,
          ).toEqual(['1']);
          expect(await unlocked(stand, table), plan).toBe(size.count - 1);
          await client.query('ROLLBACK');
        }
      }
    });

    it.each(sizes)('an advisory claim of %s locks one key and one row', async (_, size) => {
      const stand = await openStand(postgresBench);
      const client = await stand.client();
      for (const [table, spec] of [
        ['keyed_jobs', keyedJobSpec],
        ['bare_keyed_jobs', bareKeyedJobSpec],
      ] as const) {
        await fill(stand, table, { count: size.count, statistics });
        for (const plan of plans(size.step)) {
          await client.query(plan);
          await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
          const { rows } = await runStatement(client, spec, 'claim', { candidates: 4 });
          const [[candidates, lock, , id] = []] = rows;
          expect([rows.length, candidates, id], plan).toEqual([
            1,
            String(Math.min(size.count, 4)),
            '1',
          ]);
          expect(await sessionLocks(stand, client), plan).toEqual([lock]);
          expect(await unlocked(stand, table), plan).toBe(size.count - 1);
          await client.query('ROLLBACK');
          expect(await runStatement(client, spec, 'unlock', { lock })).toMatchObject({
            rows: [['true']],
          });
        }
        expect(await sessionLocks(stand, client)).toEqual([]);
      }
    });
  });

  describe('what locks hold up', () => {
    it.each([
      ['row lock', 'locked_jobs', lockedJobSpec],
      ['advisory', 'keyed_jobs', keyedJobSpec],
    ] as const)('%s: a child of a held row is inserted at once', async (form, table, spec) => {
      const stand = await openStand(postgresBench);
      await fill(stand, table, { count: 1, statistics: 'none' });
      await stand.run(`CREATE TABLE children (job BIGINT REFERENCES ${table} ON DELETE CASCADE)`);
      const client = await stand.client();
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const { rows } = await runStatement(client, spec, 'claim', { candidates: 4 });
      const other = await stand.client();
      await other.query("SET lock_timeout = '1s'");
      await other.query('INSERT INTO children VALUES (1)');
      const [[, lock] = []] = rows;
      const bound = form === 'advisory' ? { lock, attempt: '2' } : {};
      expect((await runStatement(client, spec, 'ack', { key1: '1', ...bound })).count).toBe(1);
      await client.query('COMMIT');
      expect(await stand.rows('SELECT * FROM children')).toEqual([]);
    });

    it('a row-lock claim passes over a row that somebody else has locked, not over its child', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 'locked_jobs', { count: 3, statistics: 'none' });
      await stand.run('CREATE TABLE children (job BIGINT REFERENCES locked_jobs)');
      const [one, two, client] = [await stand.client(), await stand.client(), await stand.client()];
      await one.query('BEGIN; SELECT FROM locked_jobs WHERE id = 1 FOR UPDATE');
      await two.query('BEGIN; INSERT INTO children VALUES (2)');
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const { rows } = await runStatement(client, lockedJobSpec, 'claim');
      expect(rows.map(([id]) => id)).toEqual(['2']);
      for (const each of [client, one, two]) await each.query('ROLLBACK');
    });

    it('an advisory claim reaches past thousands of rows whose keys are held', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 'keyed_jobs', { count: 3_000, statistics: 'none' });
      await stand.run('UPDATE keyed_jobs SET account_id = 0 WHERE id <= 1000');
      const other = await stand.client();
      await other.query(
        `SELECT count(pg_try_advisory_lock(hashtextextended('jobs-' || account_id, 0)))
         FROM (SELECT DISTINCT account_id FROM keyed_jobs WHERE id <= 2999) AS held`,
      );
      const client = await stand.client();
      const { rows } = await runStatement(client, keyedJobSpec, 'claim', { candidates: 4 });
      expect(rows.map((cells) => cells.slice(2, 5))).toEqual([['jobs-3000', '3000', '2']]);
      expect((await runStatement(client, keyedJobSpec, 'claim', { candidates: 4 })).rows).toEqual([
        ['0', null, null, null, null, null, null],
      ]);
    });

    it('locks of two numbers and shared locks of other keys hide no row', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 'keyed_jobs', { count: 1, statistics: 'none' });
      const other = await stand.client();
      await other.query(
        `SELECT pg_advisory_lock((h >> 32)::int, (h << 32 >> 32)::int)
         FROM hashtextextended('jobs-1', 0) AS h`,
      );
      await other.query("SELECT pg_advisory_lock_shared(hashtextextended('jobs-2', 0))");
      const client = await stand.client();
      const { rows } = await runStatement(client, keyedJobSpec, 'claim', { candidates: 4 });
      expect(rows.map((cells) => cells.slice(2, 4))).toEqual([['jobs-1', '1']]);
    });
  });

  describe('a row that changes hands', () => {
    it.each([
      ['counted', 'keyed_jobs', keyedJobSpec],
      ['without a count', 'bare_keyed_jobs', bareKeyedJobSpec],
    ] as const)(
      '%s: settled while it was claimed, it is not delivered, and the lock is told',
      async (_, table, spec) => {
        const stand = await openStand(postgresBench);
        await fill(stand, table, { count: 1, statistics: 'none' });
        const other = await stand.client();
        await other.query(`BEGIN; DELETE FROM ${table} WHERE id = 1`);
        const client = await stand.client();
        const pid = await backendOf(client);
        const claim = runStatement(client, spec, 'claim', { candidates: 4 });
        await until('the claim waits for the row', async () => {
          const waiting = await stand.rows(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = ${pid}`,
          );
          return waiting.length > 0;
        });
        await other.query('COMMIT');
        const [[candidates, lock, key, ...cells] = []] = (await claim).rows;
        expect(candidates).toBe('1');
        expect(key).toMatch(/jobs-1$/);
        expect(cells.every((cell) => cell === null)).toBe(true);
        expect((await runStatement(client, spec, 'unlock', { lock })).rows).toEqual([['true']]);
        expect(await sessionLocks(stand, client)).toEqual([]);
      },
    );

    it('is settled only by the session that holds its lock, and only as it was taken', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 'keyed_jobs', { count: 1, statistics: 'none' });
      const [client, other] = [await stand.client(), await stand.client()];
      const { rows } = await runStatement(client, keyedJobSpec, 'claim', { candidates: 4 });
      const [[, lock, , key1, attempt] = []] = rows;
      const fence = { lock, key1, attempt };
      for (const verb of ['ack', 'release']) {
        expect((await runStatement(other, keyedJobSpec, verb, fence)).count).toBe(0);
        expect(
          (await runStatement(client, keyedJobSpec, verb, { ...fence, attempt: '3' })).count,
        ).toBe(0);
      }
      await client.query('SELECT pg_advisory_unlock_all()');
      await client.query("SELECT pg_advisory_lock_shared(hashtextextended('jobs-1', 0))");
      for (const verb of ['ack', 'release']) {
        expect((await runStatement(client, keyedJobSpec, verb, fence)).count).toBe(0);
      }
      expect((await runStatement(client, keyedJobSpec, 'unlock', fence)).rows).toEqual([['false']]);
      await client.query("SELECT pg_advisory_lock(hashtextextended('jobs-1', 0))");
      expect((await runStatement(client, keyedJobSpec, 'release', fence)).count).toBe(1);
      expect(await stand.rows('SELECT attempt FROM keyed_jobs')).toEqual([{ attempt: '1' }]);
    });
  });
}
