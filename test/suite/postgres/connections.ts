import { postgres } from 'inbox-runtime/pg';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgresBench, type PostgresStand } from '../../databases/postgres.js';
import { JobQueue } from '../../generated/index.js';
import { claimOne, gate, openStand, showJobs, until } from '../support.js';

const application = 'inbox-test-victim';

/** Ends every session of the pool under test, as a server that restarts would. */
async function endSessions(stand: PostgresStand): Promise<void> {
  await stand.rows(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = '${application} ${stand.schema}'`,
  );
}

function victim(stand: PostgresStand, config: pg.PoolConfig = {}): JobQueue {
  const pool = stand.pool({ ...config, application_name: `${application} ${stand.schema}` });
  return new JobQueue(postgres(pool));
}

/** Counts the statements that a pool sends. */
function countStatements(pool: pg.Pool): { readonly texts: string[] } {
  const texts: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]): unknown => {
        const [first] = args;
        texts.push(typeof first === 'string' ? first : (first as { text: string }).text);
        return query(...args);
      },
    });
  });
  return { texts };
}

/** What becomes of rows and processes when connections end, and how many are needed. */
export function describeConnections(): void {
  describe('connections', () => {
    it('ended by the server in the middle of a handler lose nothing', async () => {
      const stand = await openStand(postgresBench);
      const queue = victim(stand);
      await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
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
      await until(
        'the table is empty',
        async () => (await showJobs(postgresBench, stand)).length === 0,
      );
      await worker.stop();
      expect(attempts).toEqual([1, 1]);
    });

    it('ended again and again while hundreds of rows are worked lose none', async () => {
      const stand = await openStand(postgresBench);
      await new JobQueue(stand.connect()).enqueueMany(
        Array.from({ length: 300 }, (_, n) => ({ payload: n })),
      );
      const handled = new Set<unknown>();
      const worker = victim(stand).work(
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
        async () => (await showJobs(postgresBench, stand)).length === 0,
        20_000,
      );
      await worker.stop();
      expect(handled.size).toBe(300);
    });

    it('ended while they are idle are replaced', async () => {
      const stand = await openStand(postgresBench);
      const queue = victim(stand);
      await queue.enqueue({ payload: 1 });
      await endSessions(stand);
      await until('it can be claimed', async () => {
        const claimed = await queue.claim({ limit: 1 }).catch(() => []);
        await Promise.all(claimed.map((delivery) => delivery.ack()));
        return claimed.length === 1;
      });
      expect(await showJobs(postgresBench, stand)).toEqual([]);
    });

    it('are not held by handlers: one serves eight', async () => {
      const stand = await openStand(postgresBench);
      const queue = victim(stand, { max: 1 });
      await queue.enqueueMany(Array.from({ length: 8 }, (_, n) => ({ payload: n })));
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
      await until(
        'the table is empty',
        async () => (await showJobs(postgresBench, stand)).length === 0,
      );
      await worker.stop();
      expect(entered).toBe(9);
    });

    it('carry a batch of settlements as one statement', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool();
      const { texts } = countStatements(pool);
      const queue = new JobQueue(postgres(pool));
      await queue.enqueueMany(Array.from({ length: 100 }, (_, n) => ({ payload: n })));
      const deliveries = await queue.claim({ limit: 100 });
      texts.length = 0;
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: '1m' })));
      await Promise.all(deliveries.map((delivery) => delivery.ack()));
      expect(texts.filter((text) => /inbox_/.test(text))).toHaveLength(2);
    });

    it('carry 1,000 rows in fewer than forty statements', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool();
      const { texts } = countStatements(pool);
      const queue = new JobQueue(postgres(pool));
      await queue.enqueueMany(Array.from({ length: 1_000 }, (_, n) => ({ payload: n })));
      let handled = 0;
      const worker = queue.work(
        () => {
          handled += 1;
        },
        { concurrency: 100, poll: '1h' },
      );
      await worker.ready;
      texts.length = 0;
      await until(
        'the table is empty',
        async () => (await showJobs(postgresBench, stand)).length === 0,
      );
      await worker.stop();
      expect(handled).toBe(1_000);
      expect(texts.filter((text) => /inbox_/.test(text)).length).toBeLessThan(40);
    });

    it.each(['repeatable read', 'serializable'])(
      'whose default isolation is %s claim side by side without an error',
      async (level) => {
        const stand = await openStand(postgresBench);
        const options = `-c default_transaction_isolation=${level.replace(' ', String.raw`\ `)}`;
        const failures: unknown[] = [];
        const seen: unknown[] = [];
        await new JobQueue(stand.connect()).enqueueMany(
          Array.from({ length: 300 }, (_, n) => ({ payload: n })),
        );
        const workers = [1, 2].map(() =>
          new JobQueue(postgres(stand.pool({ options }))).work(
            ({ payload }) => {
              seen.push(payload);
            },
            {
              concurrency: 8,
              poll: '20ms',
              on: (event) => {
                if (event.kind.endsWith('-failed')) {
                  failures.push(event);
                }
              },
            },
          ),
        );
        await until(
          'the table is empty',
          async () => (await showJobs(postgresBench, stand)).length === 0,
        );
        await Promise.all(workers.map((worker) => worker.stop()));
        expect(failures).toEqual([]);
        expect(seen).toHaveLength(300);
        expect(new Set(seen).size).toBe(300);
      },
    );

    it('of a pool, and a client of it, take part in transactions of the application', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool();
      const queue = new JobQueue(postgres(pool));
      const client = await pool.connect();
      await client.query('BEGIN');
      const id = await queue.enqueue({ payload: 1 }, { tx: client });
      await client.query('INSERT INTO job_notes VALUES ($1, $2)', [id, 'together']);
      expect(await queue.claim({ limit: 1 })).toEqual([]);
      await client.query('COMMIT');
      client.release();
      expect((await claimOne(queue)).row.id).toBe(id);
    });
  });
}
