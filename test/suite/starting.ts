import { InboxError } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { Bench, Stand } from '../databases/bench.js';
import { JobQueue } from '../generated/index.js';
import { openStand } from './support.js';

/** What `ready` and `check` must say about one wrong thing. */
interface Wrong {
  readonly title: string;
  readonly arrange: (stand: Stand) => Promise<void>;
  readonly code: string;
  /** What the message must name. */
  readonly names: readonly RegExp[];
}

const wrongs: readonly Wrong[] = [
  {
    title: 'a missing table',
    arrange: (stand) => stand.run('ALTER TABLE jobs RENAME TO other_jobs'),
    code: 'table-missing',
    names: [/jobs/],
  },
  {
    title: 'a missing data column',
    arrange: (stand) => stand.run('ALTER TABLE jobs RENAME COLUMN note TO remark'),
    code: 'column-missing',
    names: [/jobs/, /note/],
  },
  {
    title: 'a missing column of the lease',
    arrange: (stand) => stand.run('ALTER TABLE jobs RENAME COLUMN locked_until TO hold'),
    code: 'column-missing',
    names: [/jobs/, /locked_until/],
  },
];

/** One clear error when the table is not what the DDL said; none when it is. */
export function describeStarting(bench: Bench): void {
  describe('starting', () => {
    it('check and ready resolve where the table is as declared', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await expect(queue.check()).resolves.toBeUndefined();
      const worker = queue.work(() => undefined);
      await expect(worker.ready).resolves.toBeUndefined();
      await worker.stop();
      await worker.stopped;
    });

    it('neither claims nor changes anything by checking', async () => {
      const stand = await openStand(bench);
      const queue = new JobQueue(stand.connect());
      await queue.enqueue({ payload: 1 });
      const before = await stand.rows('SELECT * FROM jobs');
      await queue.check();
      expect(await stand.rows('SELECT * FROM jobs')).toEqual(before);
    });

    it.each(wrongs)('$title is one clear error', async ({ arrange, code, names }) => {
      const stand = await openStand(bench);
      await arrange(stand);
      const queue = new JobQueue(stand.connect());
      const check: unknown = await queue.check().catch((error: unknown) => error);
      expect(check).toBeInstanceOf(InboxError);
      expect(check).toMatchObject({ code, queue: 'Job' });

      let ran = 0;
      const worker = queue.work(() => {
        ran += 1;
      });
      const ready: unknown = await worker.ready.catch((error: unknown) => error);
      expect(ready).toMatchObject({ code, queue: 'Job' });
      for (const name of names) {
        expect(String(check)).toMatch(name);
        expect(String(ready)).toMatch(name);
      }
      await worker.stop();
      expect(ran).toBe(0);
    });

    it('a worker whose ready nobody awaits ends no process', async () => {
      const stand = await openStand(bench);
      await stand.run('ALTER TABLE jobs RENAME TO other_jobs');
      const worker = new JobQueue(stand.connect()).work(() => undefined);
      await worker.stop();
      // An unhandled rejection would fail the run.
      await new Promise((resolve) => setImmediate(resolve));
      await expect(worker.ready).rejects.toMatchObject({ code: expect.any(String) as string });
    });
  });
}
