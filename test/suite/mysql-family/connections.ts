import type { MysqlPool } from 'inbox-runtime/mysql2';
import { createConnection, createPool } from 'mysql2';
import { describe, expect, it } from 'vitest';

import type { FamilyBench, FamilyStand } from '../../databases/mysql-family.js';
import { JobQueue } from '../../generated/index.js';
import { claimOne, gate, openStand, showJobs, until } from '../support.js';
import { countedPool, watchedPool } from './watched-pool.js';

/** Ends every session on the test's database but the test's own, as a server that restarts would. */
async function endSessions(stand: FamilyStand): Promise<void> {
  const sessions = await stand.rows(
    `SELECT id FROM information_schema.processlist
     WHERE db = '${stand.schema}' AND id <> CONNECTION_ID()`,
  );
  for (const { id } of sessions) {
    // It may have ended by itself.
    await stand.run(`KILL ${id ?? ''}`).catch(() => undefined);
  }
}

function payloads(count: number): readonly { payload: unknown }[] {
  return Array.from({ length: count }, (_, payload) => ({ payload }));
}

/** A connection that ends around a COMMIT of an extension, before or behind it. */
function losingPool(pool: MysqlPool, when: 'before' | 'behind'): MysqlPool {
  let extending = false;
  let lost = false;
  return watchedPool(pool, async (sql, run, connection) => {
    extending ||= sql.includes('SET inbox_job.locked_until = ?\n');
    if (!extending || lost || sql !== 'COMMIT') return run();
    lost = true;
    if (when === 'behind') await run();
    connection.destroy();
    throw Object.assign(new Error('Connection lost'), { code: 'PROTOCOL_CONNECTION_LOST' });
  });
}

/** What becomes of rows and processes when connections end, and how much goes over them. */
export function describeConnections(bench: FamilyBench): void {
  describe(`connections on ${bench.name}`, () => {
    it('killed in the middle of a handler lose nothing', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueueMany(payloads(2));
      const leave = gate();
      const attempts: unknown[] = [];
      const worker = queue.work(
        async (_, { attempt }) => {
          attempts.push(attempt);
          await leave.passed;
        },
        { concurrency: 2, lease: '5s', poll: '50ms' },
      );
      await until('both run', () => attempts.length === 2);
      await endSessions(stand);
      leave.open();
      await until('the table is empty', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(attempts).toEqual([1, 1]);
    });

    it('killed again and again while hundreds of rows are worked lose none', async () => {
      const stand = await openStand(bench);
      await new JobQueue(stand.connect()).enqueueMany(payloads(300));
      const handled = new Set<unknown>();
      const worker = new JobQueue(stand.connect()).work(
        ({ payload }) => {
          handled.add(payload);
        },
        { concurrency: 8, lease: '1s', poll: '20ms', backoff: () => 10 },
      );
      await worker.ready;
      for (let round = 0; round < 10; round += 1) {
        await endSessions(stand);
        const before = handled.size;
        await until('it goes on', () => handled.size > before || handled.size === 300);
      }
      await until(
        'the table is empty',
        async () => (await showJobs(bench, stand)).length === 0,
        20_000,
      );
      await worker.stop();
      expect(handled.size).toBe(300);
    });

    it('killed while they are idle are replaced', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      await endSessions(stand);
      await until('it can be claimed', async () => {
        const claimed = await queue.claim({ limit: 1 }).catch(() => []);
        await Promise.all(claimed.map((delivery) => delivery.ack()));
        return claimed.length === 1;
      });
      expect(await showJobs(bench, stand)).toEqual([]);
    });

    it.each(['before', 'behind'] as const)(
      'lost %s the COMMIT of an extension leave the row to its owner',
      async (when) => {
        const stand = await openStand(bench);
        const queue = new JobQueue(stand.over(losingPool(stand.pool(), when)));
        await queue.enqueue({ payload: 1 });
        const delivery = await claimOne(queue, 60_000);
        await delivery.extend({ lease: '2m' });
        await delivery.ack();
        expect(await showJobs(bench, stand)).toEqual([]);
      },
    );

    it('are not held by handlers: one serves eight', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.over(stand.pool({ connectionLimit: 1 })));
      await queue.enqueueMany(payloads(8));
      const leave = gate();
      let entered = 0;
      const worker = queue.work(
        async () => {
          entered += 1;
          await leave.passed;
        },
        { concurrency: 8, poll: '50ms' },
      );
      await until('all eight run', () => entered === 8);
      await queue.enqueue({ payload: 9 });
      leave.open();
      await until('the table is empty', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(entered).toBe(9);
    });

    it('carry 1,000 rows in fewer than 120 statements', async () => {
      const stand = await openStand(bench);
      const { pool, texts } = countedPool(stand.pool());
      const queue = new JobQueue(stand.over(pool));
      await queue.enqueueMany(payloads(1_000));
      let handled = 0;
      const worker = queue.work(
        () => {
          handled += 1;
        },
        { concurrency: 100, poll: '1h' },
      );
      await worker.ready;
      texts.length = 0;
      await until('the table is empty', async () => (await showJobs(bench, stand)).length === 0);
      await worker.stop();
      expect(handled).toBe(1_000);
      expect(texts.length).toBeLessThan(120);
    });

    it('carry one statement for an idle poll', async () => {
      const stand = await openStand(bench);
      const { pool, texts } = countedPool(stand.pool());
      const queue = new JobQueue(stand.over(pool));
      await queue.check();
      expect(await queue.claim({ limit: 5 })).toEqual([]);
      texts.length = 0;
      for (let poll = 0; poll < 3; poll += 1) {
        expect(await queue.claim({ limit: 5 })).toEqual([]);
      }
      expect(texts).toHaveLength(3);
      await queue.enqueue({ payload: 1 });
      await (await claimOne(queue)).ack();
    });

    it('keep a bounded number of statements prepared, whatever the batches', async () => {
      const stand = await openStand(bench);
      const prepared = async (): Promise<number> =>
        Number((await stand.rows("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'"))[0]?.['Value']);
      const queue = new JobQueue(stand.over(stand.pool({ connectionLimit: 1 })));
      const before = await prepared();
      const sizes = Array.from({ length: 60 }, (_, index) => 1 + Math.round((index * 499) / 59));
      for (const size of sizes) {
        await queue.enqueueMany(payloads(size));
        const deliveries = await queue.claim({ limit: size });
        expect(deliveries).toHaveLength(size);
        await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: '1m' })));
        await Promise.all(deliveries.map((delivery) => delivery.retry()));
        const again = await queue.claim({ limit: size });
        await Promise.all(again.map((delivery) => delivery.release()));
        const last = await queue.claim({ limit: size });
        await Promise.all(last.map((delivery) => delivery.ack()));
      }
      expect(await showJobs(bench, stand)).toEqual([]);
      expect((await prepared()) - before).toBeLessThanOrEqual(40);
    });

    it('of a pool, and of no pool, take part in transactions of the application', async () => {
      const stand = await openStand(bench);
      const pool = stand.pool();
      const queue = new JobQueue(stand.over(pool));
      const connection = await pool.getConnection();
      await connection.beginTransaction();
      const id = await queue.enqueue({ payload: 1 }, { tx: connection });
      await connection.query('INSERT INTO job_notes VALUES (?, ?)', [id, 'together']);
      expect(await queue.claim({ limit: 1 })).toEqual([]);
      await connection.commit();
      connection.release();
      expect((await claimOne(queue)).row.id).toBe(id);
      await expect(queue.enqueue({ payload: 1 }, { tx: pool })).rejects.toMatchObject({
        code: 'wrong-transaction',
      });
    });

    it('with callbacks serve as those with promises do', async () => {
      const stand = await openStand(bench);
      const uri = stand.uri;
      const pool = createPool({ uri, database: stand.schema });
      const connection = createConnection({ uri, database: stand.schema });
      try {
        const queue = new JobQueue(stand.over(pool));
        await queue.check();
        const id = await queue.enqueue({ payload: 1 }, { tx: connection });
        await (await claimOne(queue)).ack();
        expect(id).toBe(1n);
      } finally {
        connection.destroy();
        await pool.promise().end();
      }
    });

    it('of a transaction keep nothing of a batch that fails in part', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await stand.run("ALTER TABLE jobs ADD CHECK (JSON_VALUE(payload, '$') < 600)");
      const transaction = await stand.begin();
      await queue.enqueue({ payload: 1 }, { tx: transaction.tx });
      await expect(queue.enqueueMany(payloads(700), { tx: transaction.tx })).rejects.toMatchObject({
        code: 'enqueue-failed',
      });
      await transaction.commit();
      expect(await showJobs(bench, stand)).toHaveLength(1);
    });
  });
}
