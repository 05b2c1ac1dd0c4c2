import Database from 'better-sqlite3';
import type { InboxDatabase } from 'inbox-runtime';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Databases } from '../../databases/bench.js';
import { fixtureSchema } from '../../databases/fixtures.js';
import { sqliteBench } from '../../databases/sqlite.js';
import { HeldTimestampQueue, JobQueue } from '../../generated/index.js';
import { openStand } from '../support.js';

function inMemory(): Database.Database {
  const handle = new Database(':memory:');
  onTestFinished(() => {
    handle.close();
  });
  handle.exec(fixtureSchema('sqlite'));
  return handle;
}

/** What `ready` says about a library or a handle that will not do. */
export function describeSqliteStarting(): void {
  describe('starting on SQLite', () => {
    it('refuses a library that is too old', async () => {
      const handle = inMemory();
      // A library that says so: a function of its own in place of the built-in one.
      handle.function('sqlite_version', () => '3.34.1');
      await expect(new JobQueue(sqlite(handle)).check()).rejects.toMatchObject({
        code: 'server-too-old',
        queue: 'Job',
        message: expect.stringMatching(/3\.34.*3\.35/) as string,
      });
    });

    it('refuses a handle that was closed', async () => {
      const stand = await openStand(sqliteBench);
      const handle = stand.handle();
      const queue = new JobQueue(sqlite(handle));
      handle.close();
      await expect(queue.check()).rejects.toMatchObject({ code: 'database-closed', queue: 'Job' });
      await expect(queue.work(() => undefined).ready).rejects.toMatchObject({
        code: 'database-closed',
      });
    });

    it('refuses a handle on a file without the table', async () => {
      const handle = new Database(':memory:');
      onTestFinished(() => {
        handle.close();
      });
      await expect(new JobQueue(sqlite(handle)).check()).rejects.toMatchObject({
        code: 'table-missing',
        queue: 'Job',
      });
    });

    it('refuses a class that was generated for another database, before and at run time', async () => {
      const database = sqlite(inMemory());
      // @ts-expect-error a class for PostgreSQL alone
      const queue = new HeldTimestampQueue(database);
      await expect(queue.check()).rejects.toMatchObject({ code: 'wrong-database' });
    });

    it('refuses what is no handle of better-sqlite3', async () => {
      const stranger = { connect: () => undefined, query: () => undefined };
      let database: InboxDatabase<Databases> | undefined;
      try {
        // @ts-expect-error a pool of another driver
        database = sqlite(stranger);
        await new JobQueue(database).check();
        expect.unreachable('a stranger was taken');
      } catch (error) {
        expect(error).toMatchObject({ code: 'wrong-database' });
      }
    });
  });
}
