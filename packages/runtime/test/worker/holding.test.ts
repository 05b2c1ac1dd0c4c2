import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { ack, drop, retry, type InboxError, type InboxEvent } from '../../src/index.js';
import { kindsHeard, stands, tasksOf } from '../support/task-queues.js';
import { gate, until } from '../support/until.js';

const hour = { poll: '1h' } as const;

describe.each(stands)('a worker whose rows are held: %s', (_, stand) => {
  it('works every row once, and holds nothing at its end', async () => {
    const { queue, left, held } = await stand();
    const ids = await queue().enqueueMany(tasksOf(40));
    const handled: bigint[] = [];
    const worker = queue().work(({ id }) => void handled.push(id), { ...hour, concurrency: 4 });
    await until('all are done', () => worker.stats().acked === 40);
    expect(await worker.stop()).toMatchObject({ claimed: 40, acked: 40, connectionsClosed: 0 });
    expect([...handled].sort((a, b) => Number(a - b))).toEqual(ids);
    expect(await left()).toEqual([]);
    expect(await held()).toBe(0);
  });

  it('hands out a row while the others are in work, as many at a time as it has handlers', async () => {
    const { queue } = await stand();
    await queue().enqueueMany(tasksOf(3));
    const leave = gate();
    const entered: bigint[] = [];
    const worker = queue().work(
      async ({ id }) => {
        entered.push(id);
        await leave.passed;
      },
      { ...hour, concurrency: 4 },
    );
    await until('three are in work', () => entered.length === 3);
    await queue().enqueue({ owner: 'late' });
    await until('the fourth is', () => entered.length === 4);
    expect(worker.stats()).toMatchObject({ running: 4, settling: 0, acked: 0 });
    leave.open();
    expect(await worker.stop()).toMatchObject({ acked: 4 });
  });

  it('retries at once, counted, and gives back uncounted', async () => {
    const { queue, left } = await stand();
    const [id] = await queue().enqueueMany(tasksOf(1));
    const attempts: (number | null)[] = [];
    const entered = gate();
    const worker = queue().work(async (__, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) return retry();
      entered.open();
      await new Promise(() => undefined);
      return undefined;
    }, hour);
    await entered.passed;
    expect(await worker.stop({ timeout: 0 })).toMatchObject({ retried: 1, released: 1 });
    expect(attempts).toEqual([1, 2]);
    expect(await left()).toEqual([`${String(id)}:2`]);
  });

  it('gives back the row of a claim that comes while it stops', async () => {
    const { queue, left, held } = await stand();
    await queue().enqueueMany(tasksOf(1));
    let handled = 0;
    const worker = queue().work(() => void (handled += 1), {
      on({ kind }) {
        if (kind === 'claimed') void worker.stop();
      },
    });
    expect(await worker.stopped).toMatchObject({ claimed: 1, released: 1 });
    expect(handled).toBe(0);
    expect(await left()).toEqual(['1:1']);
    expect(await held()).toBe(0);
  });

  it('holds a row whose handler threw until its back-off is over, and no longer than its worker', async () => {
    const { queue, left } = await stand();
    await queue().enqueueMany(tasksOf(1));
    const afters: unknown[] = [];
    const worker = queue().work(
      () => {
        throw new Error('no');
      },
      {
        ...hour,
        backoff: () => '1h',
        on(event) {
          if (event.kind === 'handler-failed') afters.push(event.after);
        },
      },
    );
    await until('it has failed', () => afters.length === 1);
    expect(afters).toEqual([60_000]);
    expect(worker.stats()).toMatchObject({ running: 1, retried: 0 });
    expect(await queue().claim()).toEqual([]);
    expect(await worker.stop({ timeout: '1h' })).toMatchObject({ retried: 1, released: 0 });
    expect(await left()).toEqual(['1:2']);
  });

  it('leaves a place empty whose row could not be written, as long as its back-off', async () => {
    const { queue, left, ignoreDeletes } = await stand();
    await queue().enqueueMany(tasksOf(1));
    await ignoreDeletes();
    const errors: InboxError[] = [];
    const worker = queue().work(() => (errors.length === 1 ? drop() : ack()), {
      ...{ ...hour, backoff: () => (errors.length === 1 ? 1 : '1h') },
      on(event) {
        if (event.kind === 'lost') errors.push(event.error);
      },
    });
    await until('it is lost twice', () => worker.stats().lost >= 2);
    // What is enqueued wakes the worker, which has no place for it.
    await queue().enqueue({ owner: 'wakes it' });
    await delay(150);
    // A claim that was in flight beside the settlement may have taken the row once more.
    expect(worker.stats().claimed).toBeLessThanOrEqual(3);
    for (const error of errors) {
      expect(error).toMatchObject({ code: expect.stringMatching(/-lost$/) as string, id: 1n });
      expect(error.message).not.toMatch(/back in the queue/);
    }
    const { claimed, lost } = await worker.stop({ timeout: '1h' });
    expect(lost).toBe(claimed);
    expect(await left()).toHaveLength(2);
  });

  it('takes up a row again when its back-off is over', async () => {
    const { queue } = await stand();
    await queue().enqueueMany(tasksOf(1));
    const worker = queue().work(
      (__, { attempt }) => {
        if (attempt === 1) throw new Error('no');
      },
      { ...hour, backoff: () => 30, on: () => undefined },
    );
    await until('it is done', () => worker.stats().acked === 1);
    expect(await worker.stop()).toMatchObject({ claimed: 2, retried: 1 });
  });

  it('retries a row that does not decode, unhandled', async () => {
    const { queue, left } = await stand();
    const { kinds, on } = kindsHeard();
    await queue().enqueueMany([{ owner: 'broken' }, { owner: 'fine' }]);
    const handled: string[] = [];
    // A back-off that is none is the default one.
    const worker = queue().work(({ owner }) => void handled.push(owner), {
      ...{ ...hour, on, concurrency: 2, backoff: () => 'soon' as '1s' },
    });
    await until('the other one is done', () => worker.stats().acked === 1);
    expect(await worker.stop()).toMatchObject({ retried: 1 });
    expect(kinds).toContain('decode-failed');
    expect(handled).toEqual(['fine']);
    expect(await left()).toEqual(['1:2']);
  });

  it('names each delivery once in all its events', async () => {
    const { queue } = await stand();
    const events: InboxEvent[] = [];
    await queue().enqueueMany(tasksOf(1));
    const worker = queue({ on: (event) => events.push(event) }).work((__, { attempt }) => {
      return attempt === 1 ? retry() : undefined;
    }, hour);
    await until('it is done', () => worker.stats().acked === 1);
    await worker.stop();
    const named = events.map((event) => [event.kind, 'held' in event ? event.held : undefined]);
    const [[, first], , [, second]] = named as [[string, string], unknown, [string, string]];
    expect(named).toEqual([
      ['claimed', first],
      ['settled', first],
      ['claimed', second],
      ['settled', second],
      ['stopped', undefined],
    ]);
    expect(first).toMatch(/\d+ #\d+$/);
    expect(second).not.toBe(first);
    expect(events[0]).toMatchObject({ lease: null, attempt: 1 });
    expect(events[1]).toMatchObject({ as: 'retry', after: null });
  });

  it('can be stopped before it is ready, and within its own handler', async () => {
    const { queue } = await stand();
    const early = queue().work(() => undefined);
    expect(await early.stop()).toMatchObject({ claimed: 0 });
    await queue().enqueueMany(tasksOf(1));
    const worker = queue().work(() => {
      void worker.stop();
    });
    expect(await worker.stopped).toMatchObject({ claimed: 1, acked: 1 });
  });
});

describe.each(stands.filter(([name]) => name.startsWith('advisory')))('%s', (_, stand) => {
  it('works the rows of a key one after the other, and waits for no poll between them', async () => {
    const { queue } = await stand();
    await queue().enqueueMany([{ owner: 'ann' }, { owner: 'ann' }, { owner: 'bob' }]);
    const entered: string[] = [];
    const leave = [gate(), gate(), gate()];
    const worker = queue().work(
      async ({ id, owner }) => {
        entered.push(`${owner} ${id}`);
        await leave[Number(id) - 1]?.passed;
      },
      { ...hour, concurrency: 3 },
    );
    await until('two keys are in work', () => entered.length === 2);
    expect(entered).toEqual(['ann 1', 'bob 3']);
    leave[0]?.open();
    await until('the other row of the first is', () => entered.length === 3);
    expect(entered[2]).toBe('ann 2');
    leave[1]?.open();
    leave[2]?.open();
    expect(await worker.stop()).toMatchObject({ acked: 3 });
  });

  it('tells the key to the handler, and to whoever claims by hand', async () => {
    const { queue } = await stand();
    await queue().enqueueMany([{ owner: 'ann' }]);
    const keys: unknown[] = [];
    const [delivery] = await queue().claim();
    keys.push((delivery as { readonly lockKey?: string } | undefined)?.lockKey);
    await delivery?.release();
    const worker = queue().work((__, handed) => {
      keys.push((handed as { readonly lockKey?: string }).lockKey);
    }, hour);
    await until('it is done', () => worker.stats().acked === 1);
    await worker.stop();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(keys[0]).toMatch(/-ann$/);
  });
});
