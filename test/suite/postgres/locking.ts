import type { Statement } from 'inbox-runtime/v1';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBench, type PostgresStand } from '../../databases/postgres.js';
import { JobQueue, jobSpec } from '../../generated/index.js';
import { gate, openStand, showJobs, until } from '../support.js';

const { claim, claimOne } = jobSpec.statements.postgres;

/** Runs a claim by hand, in a transaction that stays open, and answers the ids it took. */
async function claimIn(
  client: pg.Client,
  statement: Statement,
  limit: number,
): Promise<readonly string[]> {
  const named: Readonly<Record<string, number>> = { limit, lease: 60_000 };
  const { rows } = await client.query<(string | null)[]>({
    text: statement.text,
    values: statement.values.map((name) => named[name]),
    rowMode: 'array',
  });
  return rows.map(([id]) => id ?? '');
}

/** The ids that no open transaction has locked. */
async function unlocked(stand: PostgresStand): Promise<readonly (string | null | undefined)[]> {
  const rows = await stand.rows('SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED');
  return rows.map(({ id }) => id);
}

async function fill(stand: PostgresStand, count: number): Promise<void> {
  await stand.run(`INSERT INTO jobs (payload) SELECT '1' FROM generate_series(1, ${count})`);
}

/** Which rows of a table a statement locks, and what it does about rows that others have locked. */
export function describeLocking(): void {
  describe('row locks', () => {
    it.each([
      ['no index beside the key', ''],
      ['an index on the expiry', 'CREATE INDEX ON jobs (locked_until)'],
      ['a partial index', 'CREATE INDEX ON jobs (id) WHERE locked_until IS NULL'],
    ])('with %s, a claim locks exactly the rows that it returns', async (_, index) => {
      const stand = await openStand(postgresBench);
      await fill(stand, 200);
      await stand.run(index);
      for (const [statement, limit] of [
        [claim, 3],
        [claimOne, 1],
      ] as const) {
        const client = await stand.client();
        await client.query('BEGIN');
        const taken = await claimIn(client, statement, limit);
        expect(taken).toEqual(Array.from({ length: limit }, (__, n) => String(n + 1)));
        expect(await unlocked(stand)).toEqual(
          Array.from({ length: 200 - limit }, (__, n) => String(n + 1 + limit)),
        );
        await client.query('ROLLBACK');
      }
    });

    it('a child that a DELETE cascades to, locked by somebody else, costs no other row its lease', async () => {
      const stand = await openStand(postgresBench);
      await stand.run('CREATE TABLE pages (job BIGINT REFERENCES jobs ON DELETE CASCADE)');
      await stand.run("INSERT INTO jobs (payload) SELECT '1' FROM generate_series(1, 4)");
      await stand.run('INSERT INTO pages VALUES (1)');
      const other = await stand.client();
      await other.query('BEGIN');
      await other.query('SELECT * FROM pages FOR UPDATE');
      const handled: bigint[] = [];
      const late = gate();
      const worker = new JobQueue(stand.connect()).work(
        async ({ id }) => {
          handled.push(id);
          // Decided while the batch with row 1 hangs on its child.
          if (id > 2n) await late.passed;
        },
        { concurrency: 4, lease: '1500ms', poll: '50ms' },
      );
      await until('the batch with row 1 hangs', async () => {
        const [row] = await stand.rows(
          "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
        );
        return row?.['n'] === '1';
      });
      late.open();
      await until('the later rows are done', async () => {
        const rows = await stand.rows('SELECT id FROM jobs ORDER BY id');
        return rows.length === 2;
      });
      expect(handled.toSorted()).toEqual([1n, 2n, 3n, 4n]);
      await other.query('ROLLBACK');
      await until('all are done', async () => (await showJobs(postgresBench, stand)).length === 0);
      await worker.stop();
      expect(handled).toHaveLength(4);
    });

    it('takes no more than its limit where the statistics are stale', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 1_000);
      await stand.run('CREATE INDEX ON jobs (id) WHERE locked_until IS NULL');
      await stand.run("UPDATE jobs SET locked_until = now() + interval '1 hour'");
      await stand.run('ANALYZE jobs');
      await stand.run('UPDATE jobs SET locked_until = NULL');
      const queue = new JobQueue(stand.connect());
      expect(await queue.claim({ limit: 5 })).toHaveLength(5);
      const held = await stand.rows('SELECT id FROM jobs WHERE locked_until IS NOT NULL');
      expect(held).toHaveLength(5);
    });

    it('a claim passes over rows that somebody else has locked', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 3);
      const client = await stand.client();
      await client.query('BEGIN');
      await client.query('SELECT id FROM jobs WHERE id = 1 FOR UPDATE');
      const queue = new JobQueue(stand.connect());
      expect((await queue.claim({ limit: 3 })).map(({ row }) => row.id)).toEqual([2n, 3n]);
      await client.query('COMMIT');
      expect((await queue.claim({ limit: 3 })).map(({ row }) => row.id)).toEqual([1n]);
    });

    it('an uncommitted child of a job does not hold up the extension of any', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 3);
      const deliveries = await new JobQueue(stand.connect()).claim({ limit: 3 });
      const client = await stand.client();
      await client.query('BEGIN');
      await client.query("INSERT INTO job_notes VALUES (1, 'mine')");
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: '2m' })));
      await client.query('COMMIT');
      await Promise.all(deliveries.map((delivery) => delivery.ack()));
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('an uncommitted child holds up the acknowledgement of its own job, and of no other', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 3);
      const deliveries = await new JobQueue(stand.connect()).claim({ limit: 3 });
      const client = await stand.client();
      await client.query('BEGIN');
      await client.query("INSERT INTO job_notes VALUES (2, 'mine')");
      const settled: bigint[] = [];
      const acks = deliveries.map(async (delivery) => {
        await delivery.ack();
        settled.push(delivery.row.id);
      });
      await until('the others are settled', () => settled.length === 2, 2_000);
      expect(settled.toSorted()).toEqual([1n, 3n]);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([{ id: '2' }]);
      await client.query('COMMIT');
      await Promise.all(acks);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('a row that somebody else has locked is extended when the lock goes, the others at once', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 2);
      const [first, second] = await new JobQueue(stand.connect()).claim({ limit: 2 });
      const client = await stand.client();
      await client.query('BEGIN');
      await client.query('SELECT id FROM jobs WHERE id = 1 FOR UPDATE');
      let extended = false;
      const busy = first?.extend({ lease: '2m' }).then(() => (extended = true));
      await second?.extend({ lease: '2m' });
      expect(extended).toBe(false);
      await client.query('COMMIT');
      await busy;
      await Promise.all([first?.ack(), second?.ack()]);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('a handler that holds a child of its job for three leases keeps its row, as do the others', async () => {
      const stand = await openStand(postgresBench);
      await fill(stand, 4);
      const leave = gate();
      const aborted: boolean[] = [];
      const attempts: unknown[] = [];
      let children = 0;
      const worker = new JobQueue(stand.connect()).work(
        async ({ id }, { signal, attempt }) => {
          attempts.push(attempt);
          const client = await stand.client();
          await client.query('BEGIN');
          await client.query('INSERT INTO job_notes VALUES ($1, $2)', [id, 'mine']);
          children += 1;
          await leave.passed;
          await client.query('COMMIT');
          aborted.push(signal.aborted);
        },
        { concurrency: 4, lease: '1s', poll: '50ms' },
      );
      const other = new JobQueue(stand.connect());
      await until('all children are there', () => children === 4);
      const end = performance.now() + 3_000;
      while (performance.now() < end) {
        expect(await other.claim({ limit: 4 })).toEqual([]);
      }
      leave.open();
      await until(
        'the table is empty',
        async () => (await stand.rows('SELECT 1 FROM jobs')).length === 0,
      );
      await worker.stop();
      expect(aborted).toEqual([false, false, false, false]);
      expect(attempts).toEqual([1, 1, 1, 1]);
      expect(await showJobs(postgresBench, stand)).toEqual([]);
    });
  });
}
