import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Bench, Stand } from '../databases/bench.js';
import { JobQueue } from '../generated/index.js';
import { checkHistories } from '../history/checker.js';
import { startWorker, type WorkerOptions } from '../processes/start-worker.js';
import { claimWhenDue, openStand, showJobs, until } from './support.js';

const concurrency = 8;

async function enqueued(stand: Stand, count: number): Promise<readonly string[]> {
  const queue = new JobQueue(stand.connect());
  const rows = Array.from({ length: count }, (_, n) => ({ payload: n }));
  return (await queue.enqueueMany(rows)).map(String);
}

function historyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-history-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Several processes on one table, by their histories. */
export function describeProcesses(bench: Bench): void {
  describe('several processes', () => {
    it('two with eight handlers each share 1,000 rows and no single one', async () => {
      const stand = await openStand(bench);
      const options = {
        folder: historyFolder(),
        handler: 'mixed',
        concurrency,
        lease: 2_000,
      } as const;
      const workers = ['a', 'b'].map((name) => startWorker(stand, { ...options, name }));
      await Promise.all(workers.map((worker) => worker.ready));
      const ids = await enqueued(stand, 1_000);
      await until(
        'the table is empty',
        async () => (await showJobs(bench, stand)).length === 0,
        25_000,
      );
      expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);

      const processes = workers.map((worker) => worker.history());
      const lease = 2_000n * bench.fenceUnits;
      const violations = checkHistories({ processes, enqueued: ids, left: [], lease, unlogged: 0 });
      expect(violations).toEqual([]);
      const settled = processes.map(
        ({ events }) =>
          events.filter(({ kind, verb }) => kind === 'settled' && verb === 'ack').length,
      );
      expect(settled[0]).toBeGreaterThan(0);
      expect(settled[1]).toBeGreaterThan(0);
      expect((settled[0] ?? 0) + (settled[1] ?? 0)).toBe(1_000);
    });

    it('one that is killed half-way loses nothing, and the other finishes', async () => {
      const stand = await openStand(bench);
      const options = {
        folder: historyFolder(),
        handler: 'mixed',
        concurrency,
        lease: 1_000,
      } as const;
      const survivor = startWorker(stand, { ...options, name: 'survivor' });
      const victim = startWorker(stand, { ...options, name: 'victim' });
      await Promise.all([survivor.ready, victim.ready]);
      const ids = await enqueued(stand, 1_000);
      await until('the victim has worked', () => victim.history().events.length > 50);
      await victim.kill();
      await until(
        'the table is empty',
        async () => (await showJobs(bench, stand)).length === 0,
        25_000,
      );
      expect(await survivor.stop()).toBe(0);
      expect(
        checkHistories({
          processes: [survivor.history(), victim.history()],
          enqueued: ids,
          left: [],
          lease: 1_000n * bench.fenceUnits,
          // What it had in work, and what it had decided and was settling.
          unlogged: 2 * concurrency,
        }),
      ).toEqual([]);
    });

    it('the rows of one that is killed return within its lease and a second, counted', async () => {
      const stand = await openStand(bench);
      await enqueued(stand, 2);
      const lease = 1_000;
      const options: WorkerOptions = {
        ...{ name: 'victim', folder: historyFolder(), handler: 'hang' },
        ...{ concurrency: 2, lease },
      };
      const victim = startWorker(stand, options);
      await victim.ready;
      const holds = async (): Promise<readonly (string | null)[]> =>
        (await showJobs(bench, stand)).map(({ hold }) => hold);
      await until('both rows are held', async () =>
        (await holds()).every((hold) => hold === 'held'),
      );
      await victim.kill();
      const start = performance.now();
      const queue = new JobQueue(stand.connect());
      const attempts = [(await claimWhenDue(queue)).attempt, (await claimWhenDue(queue)).attempt];
      expect(performance.now() - start).toBeLessThan(lease + 1_000);
      expect(attempts).toEqual([2, 2]);
    });

    it('one that is stopped with hanging handlers gives its rows back at once', async () => {
      const stand = await openStand(bench);
      const ids = await enqueued(stand, 4);
      const options: WorkerOptions = {
        ...{ name: 'stopped', folder: historyFolder(), handler: 'hang' },
        ...{ concurrency: 4, lease: 600_000 },
      };
      const worker = startWorker(stand, options);
      await worker.ready;
      await until('all rows are held', async () =>
        (await showJobs(bench, stand)).every(({ hold }) => hold === 'held'),
      );
      expect(await worker.stop()).toBe(0);
      expect(await showJobs(bench, stand)).toEqual(
        ids.map((id) => ({ id, attempt: '1', hold: 'free' })),
      );
    });
  });
}
