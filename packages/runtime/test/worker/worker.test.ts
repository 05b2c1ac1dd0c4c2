import diagnostics from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it, onTestFinished } from 'vitest';

import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import { postgres } from '../../src/drivers/pg/index.js';
import { drop, InboxError, retry, type InboxDatabase, type InboxEvent } from '../../src/index.js';
import { LeaseQueue } from '../../src/v1.js';
import { JobQueue, jobSpec } from '../support/jobs.js';
import { postgresJobs } from '../support/postgres-jobs.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import { gate, rejection, until } from '../support/until.js';

type Databases = InboxDatabase<'postgres' | 'sqlite'>;

/** A database with the table in it, and what a test does to it behind the queue's back. */
interface Stand {
  readonly database: Databases;
  readonly run: (sql: string) => Promise<unknown>;
}

const stands: readonly [string, () => Promise<Stand>][] = [
  [
    'Postgres',
    async () => {
      const jobs = await postgresJobs();
      return { database: postgres(jobs.pool()), run: (sql) => jobs.rows(sql) };
    },
  ],
  [
    'SQLite',
    () => {
      const jobs = sqliteJobs();
      const given = jobs.handle();
      given.pragma('foreign_keys = ON');
      const other = jobs.handle();
      return Promise.resolve({
        database: sqlite(given),
        run: (sql) => Promise.resolve(other.exec(sql)),
      });
    },
  ],
];

const hour = { poll: '1h' } as const;

describe.each(stands)('a worker on %s', (_, stand) => {
  const open = async (): Promise<Databases> => (await stand()).database;

  it.each([
    [
      'a `then` that throws when it is read',
      {
        get then(): never {
          throw new Error('read');
        },
      },
    ],
    [
      'a `then` that throws when it is called',
      {
        then: () => {
          throw new Error('called');
        },
      },
    ],
    [
      'a `then` that calls back twice',
      {
        then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
          reject(new Error('first'));
          resolve(undefined);
          resolve(undefined);
        },
      },
    ],
  ])('takes %s for a failure of its handler, once', async (__, returned) => {
    const failures: string[] = [];
    const queue = new JobQueue(await open());
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
    const worker = queue.work(() => returned as never, {
      concurrency: 2,
      backoff: () => '1h',
      on: (event) => {
        if (event.kind === 'handler-failed') failures.push(event.kind);
      },
    });
    await until('both rows wait', () => worker.stats().retried === 2);
    expect(failures).toHaveLength(2);
    expect(worker.stats().running).toBe(0);
    await worker.stop();
  });

  it('does not claim its own rows again when handlers have blocked the event loop past the lease', async () => {
    const queue = new JobQueue(await open());
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }, { payload: 3 }, { payload: 4 }]);
    const handled: bigint[] = [];
    const worker = queue.work(
      ({ id }) => {
        handled.push(id);
        const end = performance.now() + 250;
        while (performance.now() < end);
      },
      { concurrency: 2, lease: '200ms', poll: '20ms' },
    );
    await until('all are done', () => worker.stats().acked === 4);
    await worker.stop();
    expect(handled).toEqual([1n, 2n, 3n, 4n]);
  });

  it('takes whatever a handler throws, and settles the row', async () => {
    const queue = new JobQueue(await open());
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const thrown: unknown[] = [
      undefined,
      null,
      Object.assign(new Error('x'), { message: 42 }),
      revoked.proxy,
    ];
    await queue.enqueueMany(thrown.map((_unused, payload) => ({ payload })));
    const worker = queue.work(
      ({ payload }) => {
        throw thrown[Number(payload)];
      },
      { concurrency: 4, backoff: () => '1h' },
    );
    await until('all wait', () => worker.stats().retried === thrown.length);
    expect(worker.stats().running).toBe(0);
    await worker.stop();
  });

  it('hears of an enqueue of this process, of another queue object too', async () => {
    const database = await open();
    const handled = gate<unknown>();
    const worker = new JobQueue(database).work(({ payload }) => {
      handled.open(payload);
    }, hour);
    await worker.ready;
    // The worker's first claim must have found nothing, or it would find the row by itself.
    await delay(300);
    await new JobQueue(database).enqueue({ payload: 'now' });
    expect(await handled.passed).toBe('now');
    await worker.stop();
  });

  it('claims again when a retry is due, at once or after its delay', async () => {
    const queue = new JobQueue(await open());
    await queue.enqueue({ payload: 1 });
    const attempts: (number | null)[] = [];
    const worker = queue.work((_row, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) return retry();
      return attempt === 2 ? retry({ after: 30 }) : undefined;
    }, hour);
    await until('it was acknowledged', () => worker.stats().acked === 1);
    expect(attempts).toEqual([1, 2, 3]);
    expect(await worker.stop()).toMatchObject({ claimed: 3, retried: 2, acked: 1, unsettled: 0 });
  });

  it('goes on when claims fail, and claims again after a second', async () => {
    const { database, run } = await stand();
    const failures: number[] = [];
    const queue = new JobQueue(database, {
      on(event) {
        if (event.kind === 'claim-failed') failures.push(performance.now());
      },
    });
    const worker = queue.work(() => undefined, { poll: 1 });
    await worker.ready;
    await run('ALTER TABLE jobs RENAME TO jobs_away');
    await until('two claims have failed', () => failures.length === 2);
    await run('ALTER TABLE jobs_away RENAME TO jobs');
    await queue.enqueue({ payload: 1 });
    await until('it works again', () => worker.stats().acked === 1);
    await worker.stop();
    const [first = 0, second = 0] = failures;
    expect(second - first).toBeGreaterThan(900);
  });

  it('gives back the rows of a claim that comes while it stops', async () => {
    const { database } = await stand();
    const queue = new JobQueue(database);
    await queue.enqueueMany([{ payload: 1 }, { payload: 2 }]);
    let handled = 0;
    const worker = queue.work(
      () => {
        handled += 1;
      },
      {
        concurrency: 2,
        on({ kind }) {
          // The answer is here, and the worker has not seen it yet.
          if (kind === 'claimed') void worker.stop();
        },
      },
    );
    expect(await worker.stopped).toMatchObject({ claimed: 2, released: 2, acked: 0 });
    expect(handled).toBe(0);
    const again = await queue.claim({ limit: 2 });
    expect(again.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('can be stopped before it is ready, twice, and within its own handler', async () => {
    const database = await open();
    const early = new JobQueue(database).work(() => undefined);
    expect(await Promise.all([early.stop(), early.stop({ timeout: 0 }), early.stopped])).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ claimed: 0 }) as unknown),
    );
    const queue = new JobQueue(database);
    await queue.enqueue({ payload: 1 });
    const worker = queue.work(() => {
      void worker.stop();
    });
    expect(await worker.stopped).toMatchObject({ claimed: 1, acked: 1 });
  });

  it('lets a second stop cut the first one short', async () => {
    const queue = new JobQueue(await open());
    await queue.enqueue({ payload: 1 });
    const entered = gate();
    const worker = queue.work(async () => {
      entered.open();
      await new Promise(() => undefined);
    });
    await entered.passed;
    const patient = worker.stop({ timeout: '1h' });
    await worker.stop({ timeout: 0 });
    expect(await patient).toMatchObject({ released: 1, unsettled: 0 });
    expect((await queue.claim())[0]?.attempt).toBe(1);
  });

  it('tells what happens, in the order in which it happens', async () => {
    const events: InboxEvent[] = [];
    const queue = new JobQueue(await open(), { on: (event) => events.push(event) });
    await queue.enqueueMany([{ payload: 'drop' }, { payload: 'throw' }]);
    const worker = queue.work(
      ({ payload }) => {
        if (payload === 'drop') return drop('why not');
        throw new Error('no');
      },
      { backoff: () => '1h' },
    );
    await until('both are settled', () => worker.stats().dropped + worker.stats().retried === 2);
    await worker.stop();
    const of = (id: bigint): unknown[] =>
      events.filter((event) => 'id' in event && event.id === id).map(({ kind }) => kind);
    expect(of(1n)).toEqual(['claimed', 'dropped', 'settled']);
    expect(of(2n)).toEqual(['claimed', 'handler-failed', 'settled']);
    expect(events.at(-1)).toEqual({ kind: 'stopped', queue: 'Job' });
    const [claim, , settled] = events.filter((event) => 'id' in event && event.id === 1n);
    expect(claim).toMatchObject({ queue: 'Job', attempt: 1, held: expect.any(String) as string });
    expect(settled).toMatchObject({ as: 'drop', held: (claim as { held: string }).held });
  });

  it('is not disturbed by listeners that throw or reject', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => {
      if (warning.name === 'InboxWarning') warnings.push(warning);
    };
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
    });
    const queue = new JobQueue(await open(), {
      on() {
        throw new Error('a bad listener');
      },
    });
    await queue.enqueue({ payload: 1 });
    const worker = queue.work(() => undefined, {
      on: () => Promise.reject(new Error('a bad async listener')) as unknown as undefined,
    });
    await until('it was acknowledged', () => worker.stats().acked === 1);
    await worker.stop();
    await until('it was told', () => warnings.length >= 2);
    expect(warnings.map(({ message }) => message).join()).toMatch(/a bad listener.*bad async/s);
  });

  it('publishes to the diagnostics channel', async () => {
    const kinds: string[] = [];
    const hear = (message: unknown): void => {
      kinds.push((message as InboxEvent).kind);
    };
    diagnostics.subscribe('inbox-runtime', hear);
    onTestFinished(() => {
      diagnostics.unsubscribe('inbox-runtime', hear);
    });
    const queue = new JobQueue(await open());
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim();
    await delivery?.extend();
    await delivery?.ack();
    expect(kinds).toEqual(['claimed', 'extended', 'settled']);
  });

  it('retries a row that cannot be finished, instead of holding it to the end of its lease', async () => {
    const events: InboxEvent[] = [];
    const { database, run } = await stand();
    const queue = new JobQueue(database, { on: (event) => events.push(event) });
    const id = await queue.enqueue({ payload: 1 });
    await run(`INSERT INTO job_notes VALUES (${id})`);
    const worker = queue.work(() => undefined, { ...hour, backoff: () => '1h' });
    await until('it was retried', () => worker.stats().retried === 1);
    expect(await worker.stop()).toMatchObject({ claimed: 1, retried: 1, failed: 0 });
    expect(events.map(({ kind }) => kind)).toContain('settle-failed');
  });
});

describe('a queue that was given the wrong thing', () => {
  const strangers: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['a bare object', {}],
    ['a pool that was not wrapped', { connect: () => undefined, query: () => undefined }],
    [
      'a client in place of a pool',
      postgres({ connectionParameters: {}, connect: () => 1 } as never),
    ],
    ['no pool at all', postgres({ getConnection: () => 1 } as never)],
    ['no handle at all', sqlite({ connect: () => 1 } as never)],
  ];

  it.each(strangers)('%s: says so from check and ready, and nowhere else', async (_, stranger) => {
    const queue = new JobQueue(stranger as Databases);
    expect(await rejection(queue.check())).toMatchObject({ code: 'wrong-database' });
    const worker = queue.work(() => undefined);
    expect(await rejection(worker.ready)).toBeInstanceOf(InboxError);
    expect(await worker.stopped).toMatchObject({ claimed: 0 });
    expect(await rejection(queue.claim())).toMatchObject({ code: 'wrong-database', queue: 'Job' });
  });

  it('a database that the class was not generated for: says for which it was', async () => {
    const { postgres: onlyPostgres } = jobSpec.statements;
    const spec = { ...jobSpec, statements: { postgres: onlyPostgres } };
    const database = sqlite(sqliteJobs().handle()) as unknown as InboxDatabase<'postgres'>;
    expect(await rejection(new LeaseQueue(database, spec).check())).toMatchObject({
      code: 'wrong-database',
      message: expect.stringMatching(/generated for postgres .* database of sqlite/) as string,
    });
  });

  it('options that make no sense: throws at once', async () => {
    const database = sqlite(sqliteJobs().handle());
    expect(() => new JobQueue(database, { lease: 'long' as '1s' })).toThrow(/"lease" is 'long'/);
    const queue = new JobQueue(database);
    expect(() => queue.work(() => undefined, { concurrency: 0 })).toThrow(/"concurrency" is 0/);
    expect(() => postgres({} as never, { answerTimeout: -1 })).toThrow(/"answerTimeout" is -1/);
    expect(await rejection(queue.claim({ limit: 1.5 }))).toMatchObject({ code: 'bad-option' });
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim();
    const nonsense = delivery?.retry({ after: 'soon' as '1s' });
    expect(await rejection(nonsense)).toMatchObject({ code: 'bad-option' });
    await delivery?.ack();
  });
});
