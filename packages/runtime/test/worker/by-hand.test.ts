import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { postgresStands, stands, tasksOf } from '../support/task-queues.js';
import { rejection, until } from '../support/until.js';

describe.each(stands)('a row that is held and was claimed by hand: %s', (name, stand) => {
  it('can be settled once, in every way', async () => {
    const { queue, left, held } = await stand();
    const tasks = queue();
    await tasks.enqueueMany(tasksOf(5));
    const [acked, retried, dropped, released] = await tasks.claim({ limit: 4 });
    expect(acked).toMatchObject({ row: { id: 1n, owner: 'owner 0' }, attempt: 1 });
    await acked?.ack();
    await retried?.retry();
    await dropped?.drop('why not');
    await released?.release();
    expect(await left()).toEqual(['2:2', '4:1', '5:1']);
    expect(await rejection(acked?.ack())).toMatchObject({ code: 'already-settled', id: 1n });
    expect(await rejection(released?.retry())).toMatchObject({ code: 'already-settled' });
    expect(await held()).toBe(0);
  });

  it('is given back by `await using` where nothing was decided', async () => {
    const { queue, left, held } = await stand();
    await queue().enqueueMany(tasksOf(1));
    {
      const [delivery] = await queue().claim();
      if (delivery === undefined) throw new Error('it claimed nothing');
      await using own = delivery;
      expect(own.attempt).toBe(1);
      expect(await queue().claim()).toEqual([]);
    }
    expect(await held()).toBe(0);
    expect(await left()).toEqual(['1:1']);
    const [again] = await queue().claim();
    expect(again?.attempt).toBe(1);
    await again?.ack();
    await again?.[Symbol.asyncDispose]();
  });

  it('is one of as many as there are, whatever the limit', async () => {
    const { queue, left } = await stand();
    await queue().enqueueMany(tasksOf(3));
    const all = await queue().claim({ limit: Number.MAX_SAFE_INTEGER });
    expect(all.map(({ row }) => row.id)).toEqual([1n, 2n, 3n]);
    await Promise.all(all.map((delivery) => delivery.ack()));
    expect(await left()).toEqual([]);
  });

  it('is given back when its delivery is garbage, and counted where its claim has counted it', async () => {
    const { queue } = await stand();
    await queue().enqueueMany(tasksOf(1));
    const signal = await (async () => (await queue().claim())[0]?.signal)();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let again: number | null | undefined;
    await until('it is claimable again', async () => {
      collect();
      const [delivery] = await queue().claim();
      again = delivery?.attempt;
      await delivery?.ack();
      return delivery !== undefined;
    });
    expect(again).toBe(name.startsWith('advisory') ? 2 : 1);
    expect(signal?.reason).toMatchObject({ message: expect.stringMatching(/dropped/) as string });
  });
});

describe.each(postgresStands)('a row that is held and was claimed by hand: %s', (_, open) => {
  it('takes a connection that is free, and is not waited for', async () => {
    const { queue, connections } = await open({ max: 3 });
    await queue().enqueueMany(tasksOf(5));
    const two = await queue().claim({ limit: 5 });
    expect(two.map(({ row }) => row.id)).toEqual([1n, 2n]);
    expect(await queue().claim()).toEqual([]);
    await two[0]?.release();
    const [again] = await queue().claim();
    expect(again?.row.id).toBe(1n);
    await Promise.all([again?.ack(), two[1]?.ack()]);
    expect(connections.take(3)).toBe(2);
  });

  it('says that its session has ended, to its signal and to whoever settles it', async () => {
    const { queue, lostCode, endHolders, left, connections } = await open({ max: 2 });
    await queue().enqueueMany(tasksOf(1));
    const [delivery] = await queue().claim();
    const signal = delivery?.signal;
    await endHolders();
    await until('it aborts', () => signal?.aborted === true);
    expect(signal?.reason).toMatchObject({ code: lostCode });
    expect(await rejection(delivery?.ack())).toBe(signal?.reason);
    await delivery?.[Symbol.asyncDispose]();
    expect(await left()).toHaveLength(1);
    await until('its connection is free', () => connections.take(1) === 1);
  });
});
