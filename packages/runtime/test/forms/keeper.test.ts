import { describe, expect, it } from 'vitest';

import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import { LeaseLostError, type InboxEvent } from '../../src/index.js';
import { JobQueue } from '../support/jobs.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import { gate, until } from '../support/until.js';

describe('the keeping of leases', () => {
  it('aborts nobody while the file is locked, until the lease can no longer be proved', async () => {
    const jobs = sqliteJobs();
    const events: InboxEvent[] = [];
    const queue = new JobQueue(sqlite(jobs.handle(), { busyTimeout: '40ms' }), {
      on: (event) => events.push(event),
    });
    await queue.enqueue({ payload: 1 });
    const entered = gate();
    const aborted = gate<{ readonly at: number; readonly reason: unknown }>();
    const start = performance.now();
    const worker = queue.work(
      (_row, { signal }) => {
        entered.open();
        signal.addEventListener('abort', () => {
          aborted.open({ at: performance.now(), reason: signal.reason });
        });
        return aborted.passed.then(() => undefined);
      },
      { lease: '2s', poll: '1h', backoff: () => 0 },
    );
    await entered.passed;
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    const { at, reason } = await aborted.passed;
    expect(at - start).toBeGreaterThan(1_990);
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect(events.filter(({ kind }) => kind === 'extend-failed').length).toBeGreaterThan(1);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'lost', why: 'unproved' }));
    other.exec('COMMIT');
    // Nobody took the row meanwhile: what the handler decided still counts.
    await until('it was acknowledged', () => worker.stats().acked === 1);
    await worker.stop();
  });

  it('makes good a round that failed, and aborts nobody', async () => {
    const jobs = sqliteJobs();
    const kinds: string[] = [];
    const queue = new JobQueue(sqlite(jobs.handle(), { busyTimeout: '20ms' }), {
      on: ({ kind }) => kinds.push(kind),
    });
    await queue.enqueue({ payload: 1 });
    const entered = gate();
    const leave = gate();
    let aborted: boolean | undefined;
    const worker = queue.work(
      async (_row, { signal }) => {
        entered.open();
        await leave.passed;
        aborted = signal.aborted;
      },
      { lease: '2s', poll: '1h' },
    );
    await entered.passed;
    const other = jobs.handle();
    other.exec('BEGIN IMMEDIATE');
    await until('a round has failed', () => kinds.includes('extend-failed'));
    other.exec('COMMIT');
    await until('it was made good', () => kinds.includes('extended'));
    leave.open();
    await worker.stop();
    expect(aborted).toBe(false);
    expect(kinds).not.toContain('lost');
  });

  it('extends all rows in one transaction, every half lease', async () => {
    const jobs = sqliteJobs();
    const rounds: number[] = [];
    let inRound = false;
    const queue = new JobQueue(sqlite(jobs.handle()), {
      on({ kind }) {
        if (kind !== 'extended') return;
        if (!inRound) {
          rounds.push(0);
          inRound = true;
          setImmediate(() => (inRound = false));
        }
        rounds.push((rounds.pop() ?? 0) + 1);
      },
    });
    await queue.enqueueMany(Array.from({ length: 20 }, (_, n) => ({ payload: n })));
    const leave = gate();
    const worker = queue.work(() => leave.passed, { concurrency: 20, lease: 400, poll: '1h' });
    await until('there were three rounds', () => rounds.length === 3);
    leave.open();
    await worker.stop();
    expect(rounds.slice(0, 3)).toEqual([20, 20, 20]);
  });

  it('aborts the signal of a row claimed by hand when its lease is over', async () => {
    const queue = new JobQueue(sqlite(sqliteJobs().handle()));
    await queue.enqueue({ payload: 1 });
    const [delivery] = await queue.claim({ lease: 60 });
    const signal = delivery?.signal;
    expect(signal?.aborted).toBe(false);
    await until('it aborts', () => signal?.aborted === true);
    expect(signal?.reason).toBeInstanceOf(LeaseLostError);
    await delivery?.ack();
  });
});
