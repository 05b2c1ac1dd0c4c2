import { describe, expect, it, onTestFinished } from 'vitest';

import { sqlite } from '../../src/drivers/better-sqlite3/index.js';
import type { InboxEvent } from '../../src/index.js';
import { AdvisoryQueue, type OwnLock } from '../../src/v1.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import { keyedTableSql, ownTable } from '../support/sqlite-keyed-jobs.js';
import { keyedSqliteSpec, stands, tasksOf } from '../support/task-queues.js';
import { rejection, until } from '../support/until.js';

describe.each(stands)(
  'a row that was held to the last and could not be written: %s',
  (_, stand) => {
    it('is not said to have lost its session, nor to be back', async () => {
      const { queue, ignoreDeletes } = await stand();
      const events: InboxEvent[] = [];
      const tasks = queue({ on: (event) => events.push(event) });
      await tasks.enqueueMany(tasksOf(1));
      await ignoreDeletes();
      const [delivery] = await tasks.claim();
      const error = await rejection(delivery?.ack());
      expect(error).toMatchObject({
        ...{ code: expect.stringMatching(/-lost$/) as string, id: 1n },
        message: expect.stringMatching(
          /ack could not be written .*, though .* had not ended: .* changed or deleted elsewhere, or a trigger.* if the row is still there/,
        ) as string,
      });
      expect(events.at(-1)).toMatchObject({ kind: 'lost', why: 'taken', error });
    });
  },
);

describe("a lock of a table's own that is not given back", () => {
  function queueWith(unlock: OwnLock<'sqlite'>['unlock'], events?: InboxEvent[]) {
    const handle = sqliteJobs().handle();
    handle.exec(keyedTableSql);
    return new AdvisoryQueue(
      sqlite(handle),
      { ...keyedSqliteSpec, statements: ownTable.statements },
      events === undefined ? {} : { on: (event) => events.push(event) },
      { lock: () => Promise.resolve(true), unlock },
    );
  }

  it.each([
    ['answers false', () => Promise.resolve(false), /was not locked any more/],
    ['throws', () => Promise.reject(new Error('the service is away')), /back: the service is away/],
  ] as const)('is told each time its unlock %s, and the outcome stands', async (_, unlock, why) => {
    const events: InboxEvent[] = [];
    const queue = queueWith(unlock, events);
    await queue.enqueueMany(tasksOf(2));
    const worker = queue.work(() => undefined, { poll: '1h', concurrency: 2 });
    await until('both are done', () => worker.stats().acked === 2);
    expect(await worker.stop()).toMatchObject({ acked: 2, lost: 0, connectionsClosed: 2 });
    const told = events.filter(({ kind }) => kind === 'unlock-failed');
    expect(told).toHaveLength(2);
    for (const id of [1n, 2n]) {
      expect(told).toContainEqual(
        expect.objectContaining({
          ...{ queue: 'KeyedJob', id },
          error: expect.objectContaining({
            ...{ code: 'own-lock-failed', queue: 'KeyedJob', id },
            message: expect.stringMatching(why) as string,
          }) as unknown,
        }),
      );
    }
  });

  it('is a process warning where nobody listens', async () => {
    const warnings: string[] = [];
    const warned = ({ name, message }: Error): void => {
      if (name === 'InboxWarning') warnings.push(message);
    };
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
    });
    const queue = queueWith(() => Promise.resolve(false));
    await queue.enqueueMany(tasksOf(1));
    const [delivery] = await queue.claim();
    await delivery?.ack();
    await until('it was said', () => warnings.length > 0);
    expect(warnings).toEqual([expect.stringMatching(/^unlock-failed in queue KeyedJob: .*row 1n/)]);
  });
});
