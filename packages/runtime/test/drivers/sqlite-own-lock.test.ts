import { setTimeout as delay } from 'node:timers/promises';

import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';

import { systemClock, type Clock } from '../../src/clock/clock.js';
import { sqlite, type SqliteOptions } from '../../src/drivers/better-sqlite3/index.js';
import type { Hold, HoldStore } from '../../src/drivers/hold-store.js';
import type { OwnLock } from '../../src/drivers/own-lock.js';
import { sqliteJobs } from '../support/sqlite-jobs.js';
import {
  bareTableSql,
  keyedTableSql,
  ownSqlTable,
  ownTable,
} from '../support/sqlite-keyed-jobs.js';
import { gate, rejection } from '../support/until.js';

/** A handle on a file with due rows of the accounts given, numbered from 1. */
function handleOn(accounts: string): Database.Database {
  const handle = sqliteJobs().handle();
  handle.exec(keyedTableSql + bareTableSql);
  for (const table of ['keyed_jobs', 'bare_jobs']) {
    const add = handle.prepare(`INSERT INTO ${table} (account_id, payload) VALUES (?, '{}')`);
    for (const account of accounts) add.run(account);
  }
  return handle;
}

/** A lock as an author would write it, and the keys that it holds. */
interface Author extends OwnLock<'sqlite'> {
  readonly held: Set<string>;
}

function author(...others: readonly string[]): Author {
  const held = new Set(others);
  return {
    held,
    lock(_, key) {
      const free = !held.has(key);
      held.add(key);
      return Promise.resolve(free);
    },
    unlock: (_, key) => Promise.resolve(held.delete(key)),
  };
}

function storeWith(
  handle: Database.Database,
  lock: OwnLock<'sqlite'>,
  options?: SqliteOptions,
): HoldStore {
  return sqlite(handle, options).openAdvisory(ownTable, lock);
}

/** A clock on which half a minute is over at once. */
const hurried: Clock = {
  ...systemClock,
  after: (milliseconds, run) => systemClock.after(milliseconds >= 30_000 ? 0 : milliseconds, run),
};

const claim = (store: HoldStore, limit = 1, busy = 0): Promise<readonly Hold[]> =>
  store.claim(limit, { busy, idle: false });

const ids = (holds: readonly Hold[]): number[] => holds.map(({ cells }) => Number(cells[0]));

const rows = (handle: Database.Database): unknown[] =>
  handle.prepare('SELECT id, attempt FROM keyed_jobs ORDER BY id').raw().all();

const done = { state: 'done', closed: false };

describe('a claim with functions of the author', () => {
  it('takes the first row of each key that it can lock, and none of those held elsewhere', async () => {
    const lock = author('jobs-a', 'jobs-c');
    const store = storeWith(handleOn('aabbcd'), lock);
    const holds = await claim(store, 9);
    expect(ids(holds)).toEqual([3, 6]);
    expect(holds[0]).toMatchObject({ lockKey: 'jobs-b', cells: [3n, 2n, 'b', '{}'] });
    expect([...lock.held].toSorted()).toEqual(['jobs-a', 'jobs-b', 'jobs-c', 'jobs-d']);
  });

  it('reads on where all that it looked at is held elsewhere', async () => {
    const store = storeWith(handleOn(`${'a'.repeat(200)}b`), author('jobs-a'));
    expect(ids(await claim(store))).toEqual([201]);
    expect(await claim(store, 2, 1)).toEqual([]);
  });

  it('gives back the lock of a row that was settled meanwhile, and takes the next', async () => {
    const handle = handleOn('aab');
    const lock = author();
    let stale = true;
    const store = storeWith(handle, {
      async lock(connection, key) {
        const locked = await lock.lock(connection, key);
        if (stale) connection.prepare('DELETE FROM keyed_jobs WHERE id = 1').run();
        stale = false;
        return locked;
      },
      unlock: (connection, key) => lock.unlock(connection, key),
    });
    expect(ids(await claim(store))).toEqual([2]);
    expect([...lock.held]).toEqual(['jobs-a']);
  });

  it('leaves out a row that may not be taken, and takes those behind it', async () => {
    const handle = handleOn('abc');
    handle.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON keyed_jobs WHEN OLD.id = 1
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    const lock = author();
    const store = storeWith(handle, lock);
    expect(ids(await claim(store))).toEqual([2]);
    expect(ids(await claim(store))).toEqual([3]);
    expect(await rejection(claim(store))).toMatchObject({ message: 'not this one' });
    expect([...lock.held]).toEqual(['jobs-b', 'jobs-c']);
  });

  it('rejects where the lock throws, and keeps no lock', async () => {
    const lock = author();
    const store = storeWith(handleOn('ab'), {
      lock: (connection, key) =>
        key === 'jobs-b'
          ? Promise.reject(new Error('no connection to the lock service'))
          : lock.lock(connection, key),
      unlock: (connection, key) => lock.unlock(connection, key),
    });
    expect(await rejection(claim(store, 2))).toMatchObject({
      code: 'own-lock-failed',
      queue: 'KeyedJob',
      message: expect.stringContaining('no connection to the lock service') as string,
    });
    expect(lock.held.size).toBe(0);
    expect(ids(await claim(store))).toEqual([1]);
  });

  it('waits longer for a lock than for a locked file', async () => {
    const lock = author();
    const store = storeWith(
      handleOn('a'),
      {
        async lock(connection, key) {
          await delay(50);
          return lock.lock(connection, key);
        },
        async unlock(connection, key) {
          await delay(50);
          return lock.unlock(connection, key);
        },
      },
      { busyTimeout: '1ms' },
    );
    const [hold] = await claim(store);
    expect(await hold?.settle('retry')).toEqual(done);
    expect(lock.held.size).toBe(0);
  });

  it('gives up a lock that does not answer, and gives it back should it come later', async () => {
    const lock = author();
    const answer = gate();
    const unlocked = gate<string>();
    const store = storeWith(
      handleOn('a'),
      {
        async lock(connection, key) {
          await answer.passed;
          return lock.lock(connection, key);
        },
        unlock(connection, key) {
          unlocked.open(key);
          return lock.unlock(connection, key);
        },
      },
      { clock: hurried },
    );
    expect(await rejection(claim(store))).toMatchObject({
      code: 'own-lock-failed',
      message: expect.stringContaining('did not answer within 30000 ms') as string,
    });
    answer.open();
    expect(await unlocked.passed).toBe('jobs-a');
    expect(lock.held.size).toBe(0);
  });
});

describe('a settlement', () => {
  it('writes its outcome and gives the lock back', async () => {
    const handle = handleOn('a');
    const lock = author();
    const store = storeWith(handle, lock);
    for (const [verb, left] of [
      ['retry', [[1, 2]]],
      ['release', [[1, 2]]],
      ['ack', []],
    ] as const) {
      const [hold] = await claim(store);
      expect(lock.held.size).toBe(1);
      expect(await hold?.settle(verb)).toEqual(done);
      expect(rows(handle)).toEqual(left);
      expect(lock.held.size).toBe(0);
    }
  });

  it('changes nothing where another delivery was counted meanwhile', async () => {
    const handle = handleOn('a');
    const lock = author();
    const [hold] = await claim(storeWith(handle, lock));
    lock.held.clear();
    const [other] = await claim(storeWith(handle, lock));
    expect(await hold?.settle('ack')).toMatchObject({ state: 'lost' });
    expect(rows(handle)).toEqual([[1, 3]]);
    // There is no telling whose the lock is: the author's unlock was asked to give it back.
    expect(await other?.settle('ack')).toEqual({
      ...{ state: 'done', closed: true },
      unlockProblem: new Error("The key 'jobs-a' was not locked any more."),
    });
  });

  it('says that the lock was not given back where the unlock throws, and the outcome stands', async () => {
    const handle = handleOn('abc');
    const unlock = (): Promise<boolean> => Promise.reject(new Error('gone'));
    const holds = await claim(storeWith(handle, { ...author(), unlock }), 3);
    for (const [index, verb] of (['ack', 'release', 'retry'] as const).entries()) {
      expect(await holds[index]?.settle(verb)).toEqual({
        ...{ state: 'done', closed: true, unlockProblem: new Error('gone') },
      });
    }
    expect(rows(handle)).toEqual([
      [2, 1],
      [3, 2],
    ]);
  });

  it('says the same where the unlock answers false; what wrote nothing is lost then', async () => {
    const handle = handleOn('abc');
    const unlock = (): Promise<boolean> => Promise.resolve(false);
    const holds = await claim(storeWith(handle, { ...author(), unlock }), 3);
    const written = { state: 'done', closed: true, unlockProblem: expect.any(Error) as unknown };
    expect(await holds[0]?.settle('ack')).toEqual(written);
    expect(await holds[1]?.settle('release')).toEqual(written);
    expect(await holds[2]?.settle('retry')).toEqual({
      ...{ state: 'lost', closed: true, error: expect.any(Error) as unknown },
    });
    expect(rows(handle)).toEqual([
      [2, 1],
      [3, 2],
    ]);
  });

  it.each(['ack', 'retry', 'release'] as const)(
    'gives the lock back where the connection was closed under the row, and %s is lost',
    async (verb) => {
      const handle = handleOn('a');
      const lock = author();
      const database = sqlite(handle);
      const [hold] = await claim(database.openAdvisory(ownTable, lock));
      const heard: unknown[] = [];
      hold?.onEnd((error) => heard.push(error));
      await database.close();
      expect(heard).toMatchObject([{ code: 'database-closed' }]);
      expect([...lock.held]).toEqual(['jobs-a']);
      expect(await hold?.settle(verb)).toMatchObject({
        ...{ state: 'lost', error: { code: 'database-closed' } },
      });
      expect(lock.held.size).toBe(0);
      expect(rows(handle)).toEqual([[1, 2]]);
    },
  );
});

describe("a lock in the author's SQL", () => {
  it('runs on the handle that has the functions', async () => {
    const handle = handleOn('aab');
    const held = new Set<string>();
    const store = sqlite(handle).openAdvisory(ownSqlTable, undefined);
    expect(await rejection(store.check())).toMatchObject({
      code: 'statement-refused',
      message: expect.stringContaining('try_lock') as string,
    });
    handle.function('try_lock', (key: unknown) => {
      const free = !held.has(String(key));
      held.add(String(key));
      return free ? 1 : 0;
    });
    handle.function('give_back', (key: unknown) => (held.delete(String(key)) ? 1 : 0));
    expect(await store.check()).toEqual([]);
    const holds = await claim(store, 9);
    expect(holds.map(({ cells }) => cells)).toEqual([
      [1n, 'a', '{}'],
      [3n, 'b', '{}'],
    ]);
    expect(await claim(store, 9, 2)).toEqual([]);
    for (const hold of holds) expect(await hold.settle('ack')).toEqual(done);
    expect(held.size).toBe(0);
    expect(ids(await claim(store, 9))).toEqual([2]);
  });

  it('is missing where a class with functions was given none', async () => {
    const store = sqlite(handleOn('a')).openAdvisory(ownTable, undefined);
    expect(await rejection(store.check())).toMatchObject({
      code: 'bad-option',
      queue: 'KeyedJob',
    });
  });
});
