import { setTimeout as delay } from 'node:timers/promises';

import type { Connection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';

import type { FamilyBench, FamilyStand } from '../../databases/mysql-family.js';
import { JobQueue } from '../../generated/index.js';
import { gate, openStand, showJobs, until, type Gate } from '../support.js';
import { watchedPool } from './watched-pool.js';

const isolations = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;

async function fill(stand: FamilyStand, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => "('1')");
  await stand.run(`INSERT INTO jobs (payload) VALUES ${rows.join(', ')}`);
}

/** A queue whose claims stop between locking their rows and stamping them. */
function stoppingQueue(
  stand: FamilyStand,
  isolation: string,
): { readonly queue: JobQueue; readonly locked: Gate<Connection>; readonly go: Gate } {
  const locked = gate<Connection>();
  const go = gate();
  const pool = stand.pool({}, `SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`);
  const watched = watchedPool(pool, async (sql, run, connection) => {
    const answer = await run();
    if (sql.includes('inbox_due') && sql.includes('FOR UPDATE')) {
      locked.open(connection as unknown as Connection);
      await go.passed;
    }
    return answer;
  });
  return { queue: new JobQueue(stand.over(watched)), locked, go };
}

/** How many rows a connection's transaction has locked, as the server counts them. */
async function lockedRows(stand: FamilyStand, { threadId }: Connection): Promise<unknown> {
  // The server renews what it shows when nobody has looked for a tenth of a second.
  await delay(150);
  const [row] = await stand.rows(
    `SELECT trx_rows_locked AS n FROM information_schema.innodb_trx
     WHERE trx_mysql_thread_id = ${threadId}`,
  );
  return row?.['n'];
}

/** The ids that no open transaction has locked. */
async function unlocked(stand: FamilyStand): Promise<readonly (string | null | undefined)[]> {
  await stand.run('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  const rows = await stand.rows('SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED');
  return rows.map(({ id }) => id);
}

const numbered = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

/** Which rows a statement locks, and what it does about rows that others have locked. */
export function describeLocking(bench: FamilyBench): void {
  describe(`row locks on ${bench.name}`, () => {
    describe.each(isolations)('where sessions are %s', (isolation) => {
      it.each([
        ['a tiny table', 3, ''],
        ['a small table', 20, ''],
        ['a large table', 5_000, ''],
        ['a small table with an index on the expiry', 20, 'CREATE INDEX i ON jobs (locked_until)'],
        [
          'a large table with an index on the expiry',
          5_000,
          'CREATE INDEX i ON jobs (locked_until)',
        ],
      ])('a claim of %s locks exactly the rows that it returns', async (_, count, index) => {
        const stand = await openStand(bench);
        await fill(stand, count);
        await stand.run(index);
        await stand.run('ANALYZE TABLE jobs');
        for (const limit of [1, 2]) {
          const { queue, locked, go } = stoppingQueue(stand, isolation);
          const claim = queue.claim({ limit });
          const connection = await locked.passed;
          expect(await lockedRows(stand, connection)).toBe(String(limit));
          expect(await unlocked(stand)).toEqual(numbered(limit + 1, count));
          go.open();
          const deliveries = await claim;
          expect(deliveries.map(({ row }) => String(row.id))).toEqual(numbered(1, limit));
          await Promise.all(deliveries.map((delivery) => delivery.release()));
        }
      });

      it('a claim that skips locked rows blocks no producer, before, between or behind', async () => {
        const stand = await openStand(bench);
        await stand.run("INSERT INTO jobs (id, payload) VALUES (10, '1'), (20, '1'), (30, '1')");
        const other = await stand.connection();
        await other.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await other.beginTransaction();
        await other.query('SELECT id FROM jobs WHERE id = 30 FOR UPDATE');
        const { queue, locked, go } = stoppingQueue(stand, isolation);
        const claim = queue.claim({ limit: 10 });
        await locked.passed;
        await stand.run('SET innodb_lock_wait_timeout = 1');
        for (const id of [5, 15, 25, 35]) {
          await stand.run(`INSERT INTO jobs (id, payload) VALUES (${id}, '1')`);
        }
        go.open();
        expect((await claim).map(({ row }) => row.id)).toEqual([10n, 20n]);
        await other.rollback();
      });
    });

    it('a claim looks behind as many rows as somebody else may have locked', async () => {
      const stand = await openStand(bench);
      await fill(stand, 1_000);
      const other = await stand.connection();
      await other.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await other.beginTransaction();
      await other.query('SELECT id FROM jobs WHERE id <= 990 FOR UPDATE');
      const queue = new JobQueue(stand.connect());
      expect((await queue.claim({ limit: 3 })).map(({ row }) => row.id)).toEqual([
        991n,
        992n,
        993n,
      ]);
      await other.rollback();
    });

    it('an uncommitted child holds up the settlement of its own job, and of no other', async () => {
      const stand = await openStand(bench);
      await fill(stand, 3);
      const deliveries = await new JobQueue(stand.connect()).claim({ limit: 3 });
      const other = await stand.connection();
      await other.beginTransaction();
      await other.query("INSERT INTO job_notes VALUES (2, 'mine')");
      const [, second] = deliveries;
      const settled: bigint[] = [];
      const acks = deliveries.map(async (delivery) => {
        await delivery.ack();
        settled.push(delivery.row.id);
      });
      await until('the others are settled', () => settled.length === 2, 2_000);
      expect(settled.toSorted()).toEqual([1n, 3n]);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([{ id: String(second?.row.id) }]);
      await other.commit();
      await Promise.all(acks);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('a row that somebody else has locked is extended when the lock goes, the others at once', async () => {
      const stand = await openStand(bench);
      await fill(stand, 2);
      const [first, second] = await new JobQueue(stand.connect()).claim({ limit: 2 });
      const other = await stand.connection();
      await other.beginTransaction();
      await other.query('SELECT id FROM jobs WHERE id = 1 FOR UPDATE');
      let extended = false;
      const busy = first?.extend({ lease: '2m' }).then(() => (extended = true));
      await second?.extend({ lease: '2m' });
      expect(extended).toBe(false);
      await other.commit();
      await busy;
      await Promise.all([first?.ack(), second?.ack()]);
      expect(await stand.rows('SELECT id FROM jobs')).toEqual([]);
    });

    it('a batch settles what is ours and says of each other row that it is lost', async () => {
      const stand = await openStand(bench);
      await fill(stand, 200);
      const deliveries = await new JobQueue(stand.connect()).claim({ limit: 200 });
      await stand.run('UPDATE jobs SET locked_until = NULL WHERE id % 10 = 0');
      await stand.run('DELETE FROM jobs WHERE id % 10 = 5');
      const outcomes = await Promise.allSettled(deliveries.map((delivery) => delivery.ack()));
      const lost = deliveries.flatMap(({ row }, index) =>
        outcomes[index]?.status === 'rejected' ? [Number(row.id)] : [],
      );
      expect(lost).toEqual(Array.from({ length: 40 }, (_, index) => (index + 1) * 5));
      expect(await showJobs(bench, stand)).toHaveLength(20);
    });

    it('a settlement of a few rows of a small table waits for no other row', async () => {
      const stand = await openStand(bench);
      await fill(stand, 20);
      const deliveries = await new JobQueue(stand.connect()).claim({ limit: 20 });
      const other = await stand.connection();
      await other.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await other.beginTransaction();
      await other.query('SELECT id FROM jobs WHERE id > 12 FOR UPDATE');
      const ours = deliveries.slice(0, 12);
      const start = performance.now();
      await Promise.all(ours.slice(0, 4).map((delivery) => delivery.extend({ lease: '2m' })));
      await Promise.all([
        ...ours.slice(0, 8).map((delivery) => delivery.ack()),
        ...ours.slice(8, 10).map((delivery) => delivery.retry()),
        ...ours.slice(10).map((delivery) => delivery.release()),
      ]);
      expect(performance.now() - start).toBeLessThan(1_000);
      await other.rollback();
      expect(await showJobs(bench, stand)).toHaveLength(12);
    });
  });
}
