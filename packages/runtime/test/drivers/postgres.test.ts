import pg from 'pg';
import { describe, expect, it } from 'vitest';

import { postgres } from '../../src/drivers/pg/index.js';
import { LeaseLostError, type Delivery, type InboxEvent } from '../../src/index.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { JobQueue, type Job } from '../support/jobs.js';
import { postgresJobs, type PostgresJobs } from '../support/postgres-jobs.js';
import { gate, rejection, until } from '../support/until.js';

async function claimed(queue: JobQueue, count: number): Promise<readonly Delivery<Job>[]> {
  await queue.enqueueMany(Array.from({ length: count }, (_, n) => ({ payload: n })));
  const deliveries = await queue.claim({ limit: count, lease: '1m' });
  expect(deliveries).toHaveLength(count);
  return deliveries;
}

const left = async (jobs: PostgresJobs): Promise<readonly unknown[]> =>
  (await jobs.rows('SELECT id::text FROM jobs ORDER BY jobs.id')).map(({ id }) => id);

describe('a pool that hands out nothing', () => {
  it('is given up after the answer timeout, and so is one that is ended meanwhile', async () => {
    const jobs = await postgresJobs();
    const pool = new pg.Pool({ ...jobs.pool().options, max: 1 });
    const queue = new JobQueue(postgres(pool, { answerTimeout: '200ms' }));
    await queue.enqueue({ payload: 1 });
    const held = await pool.connect();
    expect(await rejection(queue.claim())).toMatchObject({
      code: 'claim-failed',
      message: expect.stringContaining('no connection within 200 ms') as string,
    });
    const claim = rejection(queue.claim());
    const ended = pool.end();
    expect(await claim).toMatchObject({ code: 'database-closed' });
    held.release();
    await ended;
    expect(await left(jobs)).toEqual(['1']);
  });
});

describe('settling on Postgres', () => {
  it('does the others at once while a row is locked by an uncommitted child, and that row then', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const events: InboxEvent[] = [];
    const queue = new JobQueue(postgres(pool), { on: (event) => events.push(event) });
    const [first, second, third] = await claimed(queue, 3);
    const child = await pool.connect();
    await child.query('BEGIN');
    await child.query('INSERT INTO job_notes VALUES (1)');
    const acked = first?.ack();
    await Promise.all([second?.ack(), third?.ack()]);
    await until('it was found busy', () => events.some(({ kind }) => kind === 'busy'));
    expect(await left(jobs)).toEqual(['1']);
    await child.query('ROLLBACK');
    child.release();
    await acked;
    expect(await left(jobs)).toEqual([]);
  });

  it('extends a row that is locked by an uncommitted child', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const [delivery] = await claimed(new JobQueue(postgres(pool)), 1);
    const child = await pool.connect();
    await child.query('BEGIN');
    await child.query('INSERT INTO job_notes VALUES (1)');
    await delivery?.extend();
    await child.query('ROLLBACK');
    child.release();
    await delivery?.ack();
    expect(await left(jobs)).toEqual([]);
  });

  it('keeps the lease of a row whose settlement waits, however long', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const events: InboxEvent[] = [];
    const queue = new JobQueue(postgres(pool), { on: (event) => events.push(event) });
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: '200ms' });
    const child = await pool.connect();
    await child.query('BEGIN');
    await child.query('INSERT INTO job_notes VALUES (1)');
    const acked = delivery?.ack();
    await until(
      'the lease was extended three times',
      () => events.filter(({ kind }) => kind === 'extended').length === 3,
    );
    expect(await new JobQueue(postgres(jobs.pool())).claim()).toEqual([]);
    await child.query('ROLLBACK');
    child.release();
    await acked;
    expect(await left(jobs)).toEqual([]);
  });

  it('gives up a row that stays locked when its lease is over', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool));
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: '100ms' });
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM jobs FOR UPDATE');
    expect(await rejection(delivery?.ack())).toMatchObject({
      code: 'settle-busy',
      queue: 'Job',
      id: 1n,
    });
    await other.query('ROLLBACK');
    other.release();
    expect(await left(jobs)).toEqual(['1']);
  });

  it('fails only the row that breaks a constraint, which may then be retried', async () => {
    const jobs = await postgresJobs();
    const queue = new JobQueue(postgres(jobs.pool()));
    const deliveries = await claimed(queue, 9);
    await jobs.rows('INSERT INTO job_notes VALUES (4)');
    const fates = await Promise.allSettled(deliveries.map((delivery) => delivery.ack()));
    expect(
      fates.map(({ status }) => status).filter((status) => status === 'rejected'),
    ).toHaveLength(1);
    expect(fates[3]).toMatchObject({
      reason: { code: 'settle-failed', id: 4n, cause: { code: '23503' } },
    });
    expect(await left(jobs)).toEqual(['4']);
    await deliveries[3]?.retry();
    expect((await queue.claim())[0]?.attempt).toBe(2);
  });

  it('settles the verbs of one turn side by side', async () => {
    const jobs = await postgresJobs();
    const [a, b, c, d] = await claimed(new JobQueue(postgres(jobs.pool())), 4);
    await Promise.all([a?.ack(), b?.retry(), c?.drop(), d?.release()]);
    expect(await jobs.rows('SELECT id::int, attempt, locked_until FROM jobs ORDER BY id')).toEqual([
      { id: 2, attempt: 2, locked_until: null },
      { id: 4, attempt: 1, locked_until: null },
    ]);
  });

  it('sends an extension and a settlement of one row one behind the other', async () => {
    const jobs = await postgresJobs();
    const [delivery] = await claimed(new JobQueue(postgres(jobs.pool())), 1);
    await Promise.all([delivery?.extend(), delivery?.ack()]);
    expect(await left(jobs)).toEqual([]);
  });
});

describe('connections of Postgres', () => {
  it('ended by the server in the middle of an acknowledgement are replaced', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    // The delete waits inside its trigger until the test lets it.
    await jobs.rows(`
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(716); RETURN OLD; END $$;
      CREATE TRIGGER wait BEFORE DELETE ON jobs EXECUTE FUNCTION wait_for_test();`);
    const [delivery] = await claimed(new JobQueue(postgres(pool)), 1);
    const gatekeeper = await pool.connect();
    await gatekeeper.query('SELECT pg_advisory_lock(716)');
    const acked = delivery?.ack();
    await until('it is ended', async () => (await jobs.endSessions('%DELETE FROM jobs%')) === 1);
    await gatekeeper.query('SELECT pg_advisory_unlock(716)');
    gatekeeper.release();
    await acked;
    expect(await left(jobs)).toEqual([]);
  });

  it.each(['ack', 'retry', 'release'] as const)(
    'that lose the answer to a committed %s settle all the same',
    async (verb) => {
      const jobs = await postgresJobs();
      const proxy = await cuttingProxy();
      const queue = new JobQueue(postgres(jobs.pool({ url: proxy.url })));
      const [delivery] = await claimed(queue, 1);
      const lost = proxy.loseAnswerTo('inbox_done');
      await delivery?.[verb]();
      await lost;
      expect(await left(jobs)).toEqual(verb === 'ack' ? [] : ['1']);
    },
  );

  it('that lose the answer after the lease say that the acknowledgement may have been', async () => {
    const jobs = await postgresJobs();
    const proxy = await cuttingProxy();
    const queue = new JobQueue(postgres(jobs.pool({ url: proxy.url })));
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: 1 });
    void proxy.loseAnswerTo('inbox_done');
    const error = await rejection(delivery?.ack());
    expect(error).toBeInstanceOf(LeaseLostError);
    expect(error).toMatchObject({ message: expect.stringContaining('took effect') as string });
    expect(await left(jobs)).toEqual([]);
  });

  it('that lose the answer to a committed extension do not lose the row', async () => {
    const jobs = await postgresJobs();
    const proxy = await cuttingProxy();
    const queue = new JobQueue(postgres(jobs.pool({ url: proxy.url })));
    const [delivery] = await claimed(queue, 1);
    const before = await jobs.rows('SELECT locked_until FROM jobs');
    // The whole text of a query, as the wire ends it: BEGIN says READ COMMITTED.
    const lost = proxy.loseAnswerTo('COMMIT\0');
    const extended = delivery?.extend({ lease: '2m' });
    await lost;
    await extended;
    expect(await jobs.rows('SELECT locked_until FROM jobs')).not.toEqual(before);
    await delivery?.ack();
    expect(await left(jobs)).toEqual([]);
  });

  it('without an answer are given up, and claim for nobody', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool, { answerTimeout: '1s' }));
    await queue.enqueue({ payload: 1 });
    const table = await pool.connect();
    await table.query('BEGIN; LOCK TABLE jobs');
    expect(await rejection(queue.claim({ lease: '1h' }))).toMatchObject({
      code: 'claim-failed',
      queue: 'Job',
    });
    // The table is still locked: only a cancel ends the statement that waits for it.
    await until('nobody waits', async () => {
      const waiting = await jobs.rows(
        'SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass($$jobs$$)',
      );
      return waiting.length === 0;
    });
    await table.query('ROLLBACK');
    table.release();
    expect(await jobs.rows('SELECT attempt, locked_until FROM jobs')).toEqual([
      { attempt: 1, locked_until: null },
    ]);
  });

  it('without an answer to a check or to the chunks of a long input are given up', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool, { answerTimeout: '1s' }));
    await queue.enqueue({ payload: 0 });
    const table = await pool.connect();
    await table.query('BEGIN; LOCK TABLE jobs');
    expect(await rejection(queue.check())).toMatchObject({
      code: 'database-unreachable',
      message: expect.stringContaining('did not answer within 1000 ms') as string,
    });
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ payload: n }));
    expect(await rejection(queue.enqueueMany(rows))).toMatchObject({ code: 'enqueue-failed' });
    await table.query('ROLLBACK');
    table.release();
    expect(await left(jobs)).toEqual(['1']);
    await until('every client is back', () => pool.idleCount === pool.totalCount);
  });

  it('that freeze do not use up the lease of what they should extend', async () => {
    const jobs = await postgresJobs();
    const proxy = await cuttingProxy();
    const queue = new JobQueue(postgres(jobs.pool({ url: proxy.url }), { answerTimeout: '1h' }));
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: '8s' });
    // What is sent now is lost, and the connection stays as it is.
    proxy.freeze();
    const extended = delivery?.extend({ lease: '8s' });
    await proxy.lostSomething;
    proxy.thaw();
    await extended;
    await delivery?.ack();
    expect(await left(jobs)).toEqual([]);
  });
});

describe('settings of Postgres', () => {
  it.each(['repeatable read', 'serializable'])(
    'that make %s the default are overruled',
    async (level) => {
      const jobs = await postgresJobs();
      const settings = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
      const pool = jobs.pool({ settings });
      const [one, two] = [new JobQueue(postgres(pool)), new JobQueue(postgres(pool))];
      await one.enqueueMany(Array.from({ length: 200 }, (_, n) => ({ payload: n })));
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => (turn % 2 === 0 ? one : two).claim({ limit: 10 })),
      );
      const deliveries = claims.flat();
      await Promise.all(deliveries.map((delivery) => delivery.ack()));
      expect(new Set(deliveries.map(({ row }) => row.id)).size).toBe(deliveries.length);
      expect(await left(jobs)).toHaveLength(200 - deliveries.length);
      expect(pool.idleCount).toBe(pool.totalCount);
    },
  );

  it('that forget prepared statements are survived', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool({ max: 1 });
    const queue = new JobQueue(postgres(pool));
    const [first, second] = await claimed(queue, 2);
    await first?.ack();
    await pool.query('DEALLOCATE ALL');
    await second?.ack();
    expect(await left(jobs)).toEqual([]);
  });

  it('that prepare nothing work as well', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool({ max: 1 });
    const queue = new JobQueue(postgres(pool, { prepare: false }));
    await queue.check();
    const [delivery] = await claimed(queue, 1);
    await delivery?.ack();
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([]);
  });

  it('are checked together with the table, without a trace', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool({ max: 1, settings: '-c vacuum_cost_delay=0.5' });
    await new JobQueue(postgres(pool)).check();
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([]);
    await jobs.rows('DROP TABLE job_notes; ALTER TABLE jobs ALTER COLUMN id TYPE text');
    expect(await rejection(new JobQueue(postgres(pool)).check())).toMatchObject({
      code: 'statement-refused',
      message: expect.stringMatching(/types probably differ/) as string,
    });
  });
});

describe('enqueueing on Postgres', () => {
  it('writes chunks in one transaction, all or none', async () => {
    const jobs = await postgresJobs();
    await jobs.rows(`ALTER TABLE jobs ADD CONSTRAINT small CHECK (payload <> '2499')`);
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool));
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ payload: n }));
    expect(await rejection(queue.enqueueMany(rows))).toMatchObject({
      code: 'enqueue-failed',
      cause: { code: '23514' },
    });
    expect(await left(jobs)).toEqual([]);
    expect(await queue.enqueueMany(rows.slice(0, 2_499))).toHaveLength(2_499);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it("refuses the pool as a transaction, and takes the caller's client", async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool));
    expect(await rejection(queue.enqueue({ payload: 1 }, { tx: pool }))).toMatchObject({
      code: 'wrong-transaction',
    });
    const tx = await pool.connect();
    await tx.query('BEGIN');
    const key = await queue.enqueue({ payload: 1 }, { tx });
    expect(await left(jobs)).toEqual([]);
    await tx.query('COMMIT');
    tx.release();
    expect(await left(jobs)).toEqual([String(key)]);
  });
});

describe('a worker on Postgres', () => {
  it('extends the others while a handler holds an uncommitted child of its row', async () => {
    const jobs = await postgresJobs();
    const pool = jobs.pool();
    const queue = new JobQueue(postgres(pool));
    await queue.enqueueMany(Array.from({ length: 4 }, (_, n) => ({ payload: n })));
    const leave = gate();
    const extended = new Map<unknown, number>();
    const aborted: boolean[] = [];
    const worker = queue.work(
      async ({ id }, { signal }) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          if (id === 1n) await client.query('INSERT INTO job_notes VALUES (1)');
          await leave.passed;
          aborted.push(signal.aborted);
          await client.query('ROLLBACK');
        } finally {
          client.release();
        }
      },
      {
        concurrency: 4,
        lease: '300ms',
        on(event) {
          if (event.kind === 'extended') extended.set(event.id, (extended.get(event.id) ?? 0) + 1);
        },
      },
    );
    await until('all were extended thrice', () =>
      [1n, 2n, 3n, 4n].every((id) => (extended.get(id) ?? 0) >= 3),
    );
    leave.open();
    await worker.stop();
    expect(aborted).toEqual([false, false, false, false]);
    expect(await left(jobs)).toEqual([]);
  });
});
