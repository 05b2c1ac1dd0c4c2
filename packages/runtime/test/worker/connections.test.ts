import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { InboxEvent } from '../../src/index.js';
import { spyOn } from '../support/postgres-tasks.js';
import { postgresStands, tasksOf } from '../support/task-queues.js';
import { gate, rejection, until } from '../support/until.js';

const hour = { poll: '1h' } as const;

describe.each(postgresStands)('the connections of %s', (_, open) => {
  it('are at most the pool less one, over all queues, and a handler always finds the last', async () => {
    const { queue, pool, connections } = await open({ max: 3 });
    await queue().enqueueMany(tasksOf(12));
    let inWork = 0;
    let most = 0;
    const two = gate();
    const handler = async (): Promise<void> => {
      inWork += 1;
      most = Math.max(most, inWork);
      if (inWork === 2) two.open();
      await two.passed;
      await pool.query('SELECT 1');
      inWork -= 1;
    };
    const quiet = { ...hour, concurrency: 4, on: () => undefined };
    const workers = [queue().work(handler, quiet), queue().work(handler, quiet)];
    await until('all are done', () => {
      return workers.reduce((sum, worker) => sum + worker.stats().acked, 0) === 12;
    });
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(most).toBe(2);
    expect(pool.totalCount).toBe(3);
    expect(connections.take(3)).toBe(2);
  });

  it('go to the queue that waits for one, without waiting for a poll', async () => {
    const { queue } = await open({ max: 2 });
    await queue().enqueueMany(tasksOf(2));
    const leave = gate();
    const first = queue().work(() => leave.passed, hour);
    await until('it has the only connection', () => first.stats().running === 1);
    let handled = 0;
    const second = queue().work(() => void (handled += 1), { ...hour, on: () => undefined });
    await second.ready;
    // It has asked, and was given none.
    await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toBe(0);
    void first.stop({ timeout: '1h' });
    leave.open();
    await until('the second has it', () => handled === 1);
    expect(await first.stopped).toMatchObject({ acked: 1 });
    expect(await second.stop()).toMatchObject({ acked: 1 });
  });

  it('are one for a pool of one, which is served', async () => {
    const { queue } = await open({ max: 1 });
    const limited: InboxEvent[] = [];
    await queue().enqueueMany(tasksOf(3));
    const worker = queue().work(() => undefined, {
      ...{ ...hour, concurrency: 2 },
      on(event) {
        if (event.kind === 'concurrency-limited') limited.push(event);
      },
    });
    await until('all are done', () => worker.stats().acked === 3);
    await worker.stop();
    expect(limited).toEqual([
      expect.objectContaining({
        ...{ queue: 'Task', concurrency: 2, asked: 2, most: 1, poolSize: 1 },
        message: expect.stringMatching(/must not use this pool/) as string,
      }),
    ]);
  });

  it('are said to be too few once, as a process warning where nobody listens', async () => {
    const warnings: string[] = [];
    const warned = ({ name, message }: Error): void => {
      if (name === 'InboxWarning') warnings.push(message);
    };
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
    });
    const { queue } = await open({ max: 3 });
    const enough = queue().work(() => undefined, { ...hour, concurrency: 2 });
    await enough.ready;
    expect(warnings).toEqual([]);
    const tooMany = queue().work(() => undefined, { ...hour, concurrency: 1 });
    await tooMany.ready;
    await until('it was said', () => warnings.length > 0);
    await Promise.all([enough.stop(), tooMany.stop()]);
    expect(warnings).toEqual([expect.stringMatching(/ask for 3 rows .* pool of 3 has 2 .* plus/)]);
  });

  it('are refused to a worker that would pass connectionLimit, and free again when one stops', async () => {
    const { queue } = await open({ max: 6, connectionLimit: 4 });
    const first = queue().work(() => undefined, { ...hour, concurrency: 3 });
    await first.ready;
    const refused = queue().work(() => undefined, {
      ...{ ...hour, concurrency: 2, on: () => undefined },
    });
    expect(await rejection(refused.ready)).toMatchObject({
      code: 'connection-limit',
      queue: 'Task',
      message: expect.stringMatching(/concurrency 2 .* up to 3, .* connectionLimit is 4/) as string,
    });
    expect(await refused.stopped).toMatchObject({ claimed: 0 });
    await first.stop();
    const again = queue().work(() => undefined, { ...hour, concurrency: 4 });
    await again.ready;
    await again.stop();
  });

  it('carry one statement a poll where nothing is due, and are not kept', async () => {
    const { queue, pool } = await open();
    const together = countTogether(pool);
    const texts = spyOn(pool);
    const worker = queue().work(() => undefined, { concurrency: 5, poll: 20 });
    await worker.ready;
    await until('it polls', () => polls(texts) > 5);
    const idle = texts.slice(-5);
    expect(new Set(idle).size).toBe(1);
    expect(idle[0]).not.toMatch(/BEGIN|ROLLBACK|COMMIT/);
    expect(together(idle[0])).toBe(1);
    await worker.stop();
    expect(pool.totalCount - pool.idleCount).toBe(0);
  });

  it('are closed where the session has ended: the handler hears it, and the row is back', async () => {
    const { queue, endHolders, lostCode, left } = await open();
    await queue().enqueueMany(tasksOf(1));
    const events: InboxEvent[] = [];
    const reasons: unknown[] = [];
    const entered = gate();
    const worker = queue().work(
      async (__, { signal }) => {
        if (events.some(({ kind }) => kind === 'lost')) return;
        entered.open();
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        reasons.push(signal.reason);
      },
      { ...hour, on: (event) => events.push(event) },
    );
    await entered.passed;
    expect(await endHolders()).toBe(1);
    await until('it was done after all', () => worker.stats().acked === 1);
    expect(reasons).toEqual([expect.objectContaining({ code: lostCode, queue: 'Task', id: 1n })]);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'lost', why: 'ended', error: reasons[0] }),
    );
    expect(await worker.stop()).toMatchObject({
      ...{ claimed: 2, lost: 1, acked: 1, connectionsClosed: 1 },
    });
    expect(await left()).toEqual([]);
  });

  it('are given back by a claim that failed, which is made again', async () => {
    const { queue, rows, connections } = await open({ max: 2 });
    const failures: unknown[] = [];
    const worker = queue().work(() => undefined, {
      poll: 1,
      on(event) {
        if (event.kind === 'claim-failed') failures.push(event.error);
      },
    });
    await worker.ready;
    await rows('ALTER TABLE tasks RENAME TO tasks_away');
    await until('a claim has failed', () => failures.length > 0);
    expect(failures[0]).toMatchObject({ code: 'claim-failed', queue: 'Task' });
    expect(connections.take(1)).toBe(1);
    connections.giveBack(1);
    await rows('ALTER TABLE tasks_away RENAME TO tasks');
    await queue().enqueueMany(tasksOf(1));
    await until('it works again', () => worker.stats().acked === 1);
    await worker.stop();
  });

  it('are given back while the place of a row that cannot be finished stays empty', async () => {
    const { queue, rows, connections, held, left } = await open({ max: 2 });
    await queue().enqueueMany(tasksOf(1));
    await rows('INSERT INTO task_notes VALUES (1)');
    const failures: unknown[] = [];
    let handled = 0;
    const worker = queue().work(() => void (handled += 1), {
      ...{ ...hour, backoff: () => '1h' },
      on(event) {
        if (event.kind === 'settle-failed') failures.push(event.error);
      },
    });
    await until('it has failed', () => worker.stats().failed === 1);
    expect(failures).toEqual([expect.objectContaining({ code: 'settle-failed', id: 1n })]);
    expect(connections.take(1)).toBe(1);
    connections.giveBack(1);
    expect(await held()).toBe(0);
    // Nothing makes the worker take it again before the back-off is over.
    await queue().enqueue({ owner: 'wakes it' });
    expect(handled).toBe(1);
    expect(await worker.stop({ timeout: '1h' })).toMatchObject({ claimed: 1, failed: 1 });
    expect(await left()).toHaveLength(2);
  });

  it('are free, and without lock or transaction, when a worker has stopped', async () => {
    const { queue, held, connections, left } = await open({ max: 4 });
    await queue().enqueueMany(tasksOf(3));
    let entered = 0;
    const reasons: unknown[] = [];
    const worker = queue().work(
      async (__, { signal }) => {
        entered += 1;
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await new Promise(() => undefined);
      },
      { ...hour, concurrency: 3 },
    );
    await until('all are in work', () => entered === 3);
    expect(await held()).toBe(3);
    expect(await worker.stop({ timeout: 1 })).toMatchObject({
      ...{ released: 3, unsettled: 0, connectionsClosed: 0 },
    });
    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toMatchObject({ code: 'worker-stopped' });
    expect(await held()).toBe(0);
    expect(connections.entered).toBe(0);
    expect(connections.take(4)).toBe(3);
    expect(await left()).toEqual(['1:1', '2:1', '3:1']);
  });

  it('may be ended by a setting of the server, which is said at the start', async () => {
    const settings = '-c idle_in_transaction_session_timeout=50s -c idle_session_timeout=40s';
    const { queue } = await open({ settings });
    const limits: InboxEvent[] = [];
    const worker = queue().work(() => undefined, {
      on(event) {
        if (event.kind === 'server-limit') limits.push(event);
      },
    });
    await worker.ready;
    await worker.stop();
    expect(limits.length).toBeGreaterThan(0);
    expect(limits[0]).toMatchObject({
      ...{ queue: 'Task', setting: expect.stringMatching(/^idle_/) as string },
      consequence: expect.any(String) as string,
    });
  });
});

/** How many of one statement have been without an answer at a time. To be called first. */
function countTogether(pool: pg.Pool): (text: string | undefined) => number {
  const inFlight = new Map<string, number>();
  const most = new Map<string, number>();
  const add = (text: string, step: number): void => {
    const count = (inFlight.get(text) ?? 0) + step;
    inFlight.set(text, count);
    most.set(text, Math.max(count, most.get(text) ?? 0));
  };
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: (...args: unknown[]): Promise<unknown> => {
        const [first] = args;
        const text = typeof first === 'string' ? first : (first as { text: string }).text;
        add(text, 1);
        const answer = query(...args);
        const answered = (): void => {
          add(text, -1);
        };
        // Heard before whoever asked, who may send the next one at once.
        answer.then(answered, answered);
        return answer;
      },
    });
  });
  return (text) => most.get(text ?? '') ?? 0;
}

/** How many of the last statements are the same one. */
function polls(texts: readonly string[]): number {
  const last = texts.at(-1);
  let count = 0;
  while (count < texts.length && texts[texts.length - 1 - count] === last) count += 1;
  return count;
}
