import { setTimeout as delay } from 'node:timers/promises';

import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';

import { systemClock, type Clock } from '../../src/clock/clock.js';
import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import { postgres } from '../../src/drivers/pg/index.js';
import { retry, type InboxDatabase } from '../../src/index.js';
import { RowLockQueue } from '../../src/v1.js';
import { JobQueue } from '../support/jobs.js';
import { postgresJobs } from '../support/postgres-jobs.js';
import { postgresTasks } from '../support/postgres-tasks.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import { lockedSpec, tasksOf } from '../support/task-queues.js';
import { gate, until } from '../support/until.js';

const hour = { poll: '1h' } as const;

/** A clock that runs twice as fast as the database's, so that every timer fires early. */
const fastClock: Clock = {
  monotonic: () => systemClock.monotonic() * 2,
  wall: () => systemClock.wall(),
  after: (milliseconds, run) => systemClock.after(milliseconds / 2, run),
};

const databases: readonly [string, () => Promise<InboxDatabase<'postgres' | 'sqlite'>>][] = [
  ['Postgres', async () => postgres((await postgresJobs()).pool())],
  ['SQLite', () => Promise.resolve(sqlite(sqliteJobs().handle()))],
];

describe.each(databases)('a worker that waits for a row on %s', (_, open) => {
  it('looks again soon where the row is not due when its clock says so', async () => {
    const queue = new JobQueue(await open(), { clock: fastClock });
    await queue.enqueue({ payload: 1 });
    const attempts: (number | null)[] = [];
    const worker = queue.work((__, { attempt }) => {
      attempts.push(attempt);
      return attempt === 1 ? retry({ after: 120 }) : undefined;
    }, hour);
    await until('it was acknowledged', () => worker.stats().acked === 1);
    await worker.stop();
    expect(attempts).toEqual([1, 2]);
  });

  it('does not claim a row whose handler runs, when the event loop was blocked past its lease', async () => {
    const queue = new JobQueue(await open());
    await queue.enqueue({ payload: 'slow' });
    const handled: unknown[] = [];
    const entered = gate();
    const leave = gate();
    const worker = queue.work(
      async ({ payload }) => {
        handled.push(payload);
        if (payload !== 'slow') return;
        entered.open();
        await leave.passed;
      },
      { ...hour, concurrency: 2, lease: '1s', on: () => undefined },
    );
    await entered.passed;
    const end = performance.now() + 1_200;
    while (performance.now() < end);
    await queue.enqueue({ payload: 'next' });
    await until('the other one is done', () => worker.stats().acked === 1);
    leave.open();
    await until('both are', () => worker.stats().acked === 2);
    await worker.stop();
    expect(handled).toEqual(['slow', 'next']);
  });
});

/** Keeps the answers to statements from a pool's clients until they are let through. */
function withholdAnswers(pool: pg.Pool): {
  withhold: (part: string) => { readonly answered: Promise<void>; readonly let: () => void };
} {
  let withheld: { part: string; answered: () => void; passed: Promise<void> } | undefined;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: async (...args: unknown[]): Promise<unknown> => {
        const answer = await query(...args);
        const [first] = args;
        const text = typeof first === 'string' ? first : (first as { text: string }).text;
        if (withheld !== undefined && text.includes(withheld.part)) {
          withheld.answered();
          const { passed } = withheld;
          withheld = undefined;
          await passed;
        }
        return answer;
      },
    });
  });
  return {
    withhold(part) {
      const answered = gate();
      const passed = gate();
      onTestFinished(() => {
        passed.open();
      });
      withheld = { part, answered: answered.open, passed: passed.passed };
      return { answered: answered.passed, let: passed.open };
    },
  };
}

describe('a worker whose claim is in flight', () => {
  it('claims again where a row came due before the answer was there', async () => {
    const pool = (await postgresJobs()).pool();
    const { withhold } = withholdAnswers(pool);
    const queue = new JobQueue(postgres(pool));
    await queue.enqueue({ payload: 1 });
    let claim: ReturnType<typeof withhold> | undefined;
    const worker = queue.work((__, { attempt }) => {
      if (attempt !== 1) return undefined;
      claim = withhold('SKIP LOCKED\n),\ninbox_claimed');
      return retry({ after: 60 });
    }, hour);
    await until('the row waits', () => worker.stats().retried === 1);
    await claim?.answered;
    // Long enough for the row to come due while the empty answer is on its way.
    await delay(150);
    claim?.let();
    await until('it was acknowledged', () => worker.stats().acked === 1);
    expect(await worker.stop()).toMatchObject({ claimed: 2, acked: 1 });
  });

  it('claims again where rows were enqueued before its empty answer was there', async () => {
    const tasks = await postgresTasks();
    await tasks.rows('TRUNCATE tasks RESTART IDENTITY CASCADE');
    const pool = tasks.pool();
    const { withhold } = withholdAnswers(pool);
    const queue = new RowLockQueue(postgres(pool), lockedSpec);
    const claim = withhold('FOR NO KEY UPDATE SKIP LOCKED');
    let entered = 0;
    const leave = gate();
    const worker = queue.work(
      async () => {
        entered += 1;
        await leave.passed;
      },
      { ...hour, concurrency: 4 },
    );
    await claim.answered;
    await queue.enqueueMany(tasksOf(4));
    expect(entered).toBe(0);
    claim.let();
    await until('all are in work', () => entered === 4);
    leave.open();
    expect(await worker.stop()).toMatchObject({ acked: 4 });
  });
});

describe('a worker that is stopped with a timeout that is none', () => {
  it('waits as long as by default, says so, and neither throws nor rejects', async () => {
    const warnings: string[] = [];
    const warned = ({ message }: Error): void => {
      warnings.push(message);
    };
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
    });
    const queue = new JobQueue(sqlite(sqliteJobs().handle()));
    await queue.enqueue({ payload: 1 });
    const entered = gate();
    const leave = gate();
    const worker = queue.work(async () => {
      entered.open();
      await leave.passed;
    });
    await entered.passed;
    const stopped = worker.stop({ timeout: 'x' as '1s' });
    await until('it was said', () => warnings.length > 0);
    leave.open();
    expect(await stopped).toMatchObject({ acked: 1 });
    expect(warnings).toEqual([expect.stringMatching(/'x', which is no duration/)]);
  });
});

describe('the signal of a row claimed by hand', () => {
  it('does not keep the process alive', async () => {
    const queue = new JobQueue(sqlite(sqliteJobs().handle()));
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: '1h' });
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    expect(delivery?.signal.aborted).toBe(false);
    expect(timers()).toBe(before);
    await delivery?.ack();
  });
});
