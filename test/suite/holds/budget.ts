import type { InboxEvent } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { ServerBench } from '../../databases/bench.js';
import { gate, until } from '../support.js';
import { numbers, openHoldStand, showRows, shown, untilEmpty } from './support.js';
import { advisoryTables, rowLockTables, type HoldTable } from './table.js';

/** How many connections rows in work may have, and what becomes of those who ask for more. */
export function describeBudget(bench: ServerBench, table: HoldTable): void {
  describe('connections', () => {
    it('are never more than the pool size less one, over all queues that share the database', async () => {
      const stand = await openHoldStand(bench);
      const { database } = stand.connectWith({ connections: 4 });
      const queues = [...rowLockTables, ...advisoryTables].map((each) => each.queue(database));
      for (const queue of queues) await queue.add(numbers(6));
      let running = 0;
      let most = 0;
      let done = 0;
      const limited: InboxEvent[] = [];
      const failures: InboxEvent[] = [];
      let leave = gate();
      const seen: string[] = [];
      const workers = queues.map((queue, index) =>
        queue.work(
          async ({ id }) => {
            seen.push(`row ${id} of table ${index}`);
            running += 1;
            most = Math.max(most, running);
            await leave.passed;
            running -= 1;
            done += 1;
          },
          {
            concurrency: 4,
            poll: '10ms',
            on: (event) => {
              if (event.kind === 'concurrency-limited') limited.push(event);
              if ('error' in event) failures.push(event);
            },
          },
        ),
      );
      await until('three rows are in work', () => running === 3);
      expect(await stand.held()).not.toHaveLength(0);
      while (done < 24) {
        const before = done;
        expect(await stand.sessions()).toBeLessThanOrEqual(4);
        const opened = leave;
        leave = gate();
        opened.open();
        await until('the next are in work', () => {
          expect(failures).toEqual([]);
          expect(new Set(seen).size).toBe(seen.length);
          return done > before && (running > 0 || done >= 24);
        });
      }
      leave.open();
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(most).toBe(3);
      expect(seen).toHaveLength(24);
      expect(new Set(seen).size).toBe(24);
      expect(limited).toHaveLength(4);
      expect(limited[0]).toMatchObject({ most: 3, poolSize: 4, concurrency: 4 });
    });

    it('of a pool of one: one row is in work at a time, and that is said', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connectWith({ connections: 1 }).database);
      await table.queue(stand.connect()).add(numbers(10));
      let running = 0;
      let most = 0;
      const kinds: string[] = [];
      const worker = queue.work(
        async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        },
        {
          concurrency: 3,
          poll: '10ms',
          on: ({ kind }) => {
            kinds.push(kind);
          },
        },
      );
      await untilEmpty(stand, table);
      expect(await worker.stop()).toMatchObject({ acked: 10, failed: 0, lost: 0 });
      expect(most).toBe(1);
      expect(kinds.filter((kind) => kind === 'concurrency-limited')).toHaveLength(1);
    });

    it('leave one for handlers that need the pool themselves, however many there are', async () => {
      const stand = await openHoldStand(bench);
      const { database, query } = stand.connectWith({ connections: 2 });
      const queue = table.queue(database);
      await queue.add(numbers(20));
      const added: unknown[] = [];
      const worker = queue.work(
        async ({ payload }) => {
          await query('SELECT 1');
          if (Number(payload) < 20) added.push(...(await queue.add([Number(payload) + 20])));
          await query('SELECT 1');
        },
        { concurrency: 8, poll: '10ms', on: () => undefined },
      );
      await until('every handler has added one', () => added.length === 20);
      await untilEmpty(stand, table);
      expect(await worker.stop()).toMatchObject({ acked: 40, failed: 0, lost: 0, retried: 0 });
    });

    it('are shared fairly: a queue that comes second is served too', async () => {
      const stand = await openHoldStand(bench);
      const { database } = stand.connectWith({ connections: 2 });
      const queues = [table.queue(database), table.queue(database)];
      const served = [0, 0];
      const workers = queues.map((queue, index) =>
        queue.work(
          async () => {
            served[index] = (served[index] ?? 0) + 1;
            await new Promise((resolve) => setTimeout(resolve, 1));
          },
          { concurrency: 2, poll: '1h', on: () => undefined },
        ),
      );
      await Promise.all(workers.map((worker) => worker.ready));
      await queues[0]?.add(numbers(60));
      await untilEmpty(stand, table);
      await Promise.all(workers.map((worker) => worker.stop()));
      expect(Math.min(...served)).toBeGreaterThan(0);
    });

    it('for a claim by hand are those that are free now: it takes fewer rows, and does not wait', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connectWith({ connections: 4 }).database);
      const ids = await queue.add(numbers(10));
      const first = await queue.claim({ limit: 10 });
      expect(first.map(({ row }) => row.id)).toEqual(ids.slice(0, 3));
      expect(await queue.claim({ limit: 10 })).toEqual([]);
      await first[1]?.ack();
      const next = await queue.claim({ limit: 10 });
      expect(next.map(({ row }) => row.id)).toEqual(ids.slice(3, 4));
      for (const delivery of [...first.filter((_, index) => index !== 1), ...next]) {
        await delivery.release();
      }
      expect(await showRows(stand, table)).toEqual(
        ids.filter((_, index) => index !== 1).map((id) => shown(table, id, 1)),
      );
    });

    it('beyond the connectionLimit are refused to a worker, until another has stopped', async () => {
      const stand = await openHoldStand(bench);
      const { database } = stand.connectWith({ connections: 8, connectionLimit: 5 });
      const queue = table.queue(database);
      const first = queue.work(() => undefined, { concurrency: 4, poll: '1h' });
      await first.ready;
      const second = queue.work(() => undefined, { concurrency: 2, poll: '1h' });
      const error: unknown = await second.ready.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'connection-limit' });
      expect(String(error)).toMatch(/\b5\b/);
      await second.stopped;
      const third = queue.work(() => undefined, { concurrency: 1, poll: '1h' });
      await third.ready;
      await Promise.all([first.stop(), third.stop()]);
      const fourth = queue.work(() => undefined, { concurrency: 5, poll: '1h' });
      await fourth.ready;
      await fourth.stop();
    });

    it('are not held by a worker that finds nothing, whose polls are a statement each', async () => {
      const stand = await openHoldStand(bench);
      const { database, query, texts } = stand.connectWith({ connections: 1 });
      const worker = table.queue(database).work(() => undefined, {
        ...{ concurrency: 8, poll: '100ms', on: () => undefined },
      });
      await worker.ready;
      await new Promise((resolve) => setTimeout(resolve, 300));
      texts.length = 0;
      const start = performance.now();
      await until('it has polled ten times', () => texts.length >= 10);
      const polls = (performance.now() - start) / 100;
      // One text, so one statement a poll; and as many polls as the time allows, give or take jitter.
      expect(new Set(texts).size).toBe(1);
      expect(texts.length).toBeLessThanOrEqual(2 * polls + 2);
      // The only connection is free.
      await query('SELECT 1');
      expect(await stand.held()).toEqual([]);
      await worker.stop();
    });
  });
}
