import type { InboxDatabase } from 'inbox-runtime';
import { postgres } from 'inbox-runtime/pg';
import { describe, expect, it } from 'vitest';

import type { Databases } from '../../databases/bench.js';
import { postgresBench } from '../../databases/postgres.js';
import { HeldTextQueue, JobQueue } from '../../generated/index.js';
import { gate, openStand, until } from '../support.js';

/** What `ready` says about a server or a pool that will not do. */
export function describePostgresStarting(): void {
  describe('starting on PostgreSQL', () => {
    it('refuses a server that is too old', async () => {
      const stand = await openStand(postgresBench);
      // A server that says so: its own function, found before the built-in one.
      const liar = `${stand.schema}_liar`;
      await stand.run(`CREATE SCHEMA ${liar}`);
      try {
        await stand.run(
          `CREATE FUNCTION ${liar}.current_setting(name text) RETURNS text LANGUAGE sql AS
             $$ SELECT CASE name
                  WHEN 'server_version_num' THEN '110022'
                  WHEN 'server_version' THEN '11.22'
                  ELSE pg_catalog.current_setting(name) END $$`,
        );
        const pool = stand.pool({
          options: `-c search_path=${liar},pg_catalog,${stand.schema}`,
        });
        const queue = new JobQueue(postgres(pool));
        await expect(queue.check()).rejects.toMatchObject({
          code: 'server-too-old',
          queue: 'Job',
          message: expect.stringMatching(/11.*12/) as string,
        });
        await pool.end();
      } finally {
        await stand.run(`DROP SCHEMA ${liar} CASCADE`);
      }
    });

    it('refuses a pool that was ended', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool();
      await pool.end();
      const queue = new JobQueue(postgres(pool));
      await expect(queue.check()).rejects.toMatchObject({ code: 'database-closed', queue: 'Job' });
      await expect(queue.work(() => undefined).ready).rejects.toMatchObject({
        code: 'database-closed',
      });
    });

    it('refuses a server that does not answer', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool({
        connectionString: 'postgres://nobody:nothing@127.0.0.1:1/nowhere',
        options: '',
      });
      await expect(new JobQueue(postgres(pool)).check()).rejects.toMatchObject({
        code: 'database-unreachable',
        queue: 'Job',
      });
    });

    it('refuses the pool of a database that has no such table', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool({ options: '-c search_path=pg_catalog' });
      await expect(new JobQueue(postgres(pool)).check()).rejects.toMatchObject({
        code: 'table-missing',
        queue: 'Job',
      });
    });

    it('refuses a class that was generated for another database, before and at run time', async () => {
      const stand = await openStand(postgresBench);
      const database = postgres(stand.pool());
      // @ts-expect-error a class for SQLite alone
      const queue = new HeldTextQueue(database);
      await expect(queue.check()).rejects.toMatchObject({ code: 'wrong-database' });
    });

    it('refuses a pool that is no pool of pg', async () => {
      const stranger = { prepare: () => undefined, exec: () => undefined };
      let database: InboxDatabase<Databases> | undefined;
      try {
        // @ts-expect-error a handle of another driver
        database = postgres(stranger);
        await new JobQueue(database).check();
        expect.unreachable('a stranger was taken');
      } catch (error) {
        expect(error).toMatchObject({ code: 'wrong-database' });
      }
    });

    it('a pool that is ended under a worker neither crashes it nor keeps it from stopping', async () => {
      const stand = await openStand(postgresBench);
      const pool = stand.pool();
      const kinds: string[] = [];
      const queue = new JobQueue(postgres(pool));
      await queue.enqueue({ payload: 1 });
      const entered = gate();
      const worker = queue.work(
        async (_, { signal }) => {
          entered.open();
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              resolve();
            });
          });
        },
        {
          concurrency: 2,
          poll: '20ms',
          lease: '500ms',
          on: (event) => {
            kinds.push(event.kind);
          },
        },
      );
      await entered.passed;
      await pool.end();
      await until('the claim failed', () => kinds.includes('claim-failed'));
      await worker.stop({ timeout: '100ms' });
      await worker.stopped;
      expect(kinds.at(-1)).toBe('stopped');
    });
  });
}
