import { describe, expect, it } from 'vitest';

import { rejection, until } from '../../support/until.js';
import { claimed, familyJobs, servers, watched } from './family-jobs.js';

const eager = { busy: 0, idle: false };

describe.each(servers)('a connection on %s that a settlement has freed', (server) => {
  it('is taken over, with a transaction begun, by a row-lock claim of the same turn', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const texts: string[] = [];
    const pool = watched(
      jobs.pool({}, 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'),
      (sql, run) => {
        texts.push(sql.trim().split('\n', 1)[0] ?? '');
        return run();
      },
    );
    const store = jobs.rowLock(pool);
    const first = await claimed(store);
    texts.length = 0;
    expect(await first.settle('ack')).toEqual({ state: 'done', closed: false });
    const second = await claimed(store);
    expect(second.session).toBe(first.session);
    expect(texts).toEqual([
      expect.stringMatching(/^DELETE/),
      'COMMIT AND CHAIN NO RELEASE',
      'SELECT',
    ]);
    await until('it is READ COMMITTED', async () => {
      const [[level] = []] = await jobs.rows(
        `SELECT trx_isolation_level FROM information_schema.innodb_trx
         WHERE trx_mysql_thread_id = ${second.session}`,
      );
      return level === 'READ COMMITTED';
    });
    expect(await second.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it('is taken over by an advisory claim of the same turn', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const store = jobs.advisory(jobs.pool());
    const first = await claimed(store);
    const second = await claimed(store);
    await first.settle('ack');
    const third = await store.claim(1, eager);
    expect(third).toEqual([]);
    await second.settle('release');
    const again = await claimed(store);
    expect(again.session).toBe(second.session);
    await again.settle('ack');
  });

  it('is in the pool after that turn, without a transaction', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 1);
    const pool = jobs.pool({ connectionLimit: 1 });
    const store = jobs.rowLock(pool);
    await (await claimed(store)).settle('ack');
    const connection = await pool.getConnection();
    // Refused inside a transaction.
    await connection.query({ sql: 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED', values: [] });
    connection.release();
  });

  it('is whoever’s waits for one before a claim of ours', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const pool = jobs.pool({ connectionLimit: 1 });
    const store = jobs.rowLock(pool);
    const first = await claimed(store);
    const waiting = pool.getConnection();
    await first.settle('ack');
    const second = store.claim(1, eager);
    (await waiting).release();
    const [hold] = await second;
    expect(await hold?.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it('is taken over again once nobody waits any more, however many have', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const pool = jobs.pool({ connectionLimit: 1 });
    const store = jobs.rowLock(pool);
    const other = await pool.getConnection();
    const served = Array.from({ length: 50 }, async () => {
      (await pool.getConnection()).release();
    });
    other.release();
    await Promise.all(served);
    const first = await claimed(store);
    let asked = 0;
    pool.on('acquire', () => (asked += 1));
    pool.on('enqueue', () => (asked += 1));
    expect(await first.settle('ack')).toEqual({ state: 'done', closed: false });
    const second = await claimed(store);
    expect(asked).toBe(0);
    expect(await second.settle('ack')).toEqual({ state: 'done', closed: false });
  });

  it.each(['COMMIT', 'SELECT'])(
    'is nobody’s where its session ends behind the %s',
    async (statement) => {
      const jobs = await familyJobs(server);
      await jobs.add('counted', 2);
      let settling = false;
      let killed = false;
      const pool = watched(jobs.pool(), async (sql, run, { threadId, connection }) => {
        const due = settling && !killed && sql.trim().startsWith(statement);
        if (!due) return run();
        killed = true;
        const ended = new Promise((resolve) => connection?.on('end', resolve));
        if (statement === 'SELECT') {
          await jobs.kill(String(threadId));
          await ended;
          return run();
        }
        const answer = await run();
        await jobs.kill(String(threadId));
        await ended;
        return answer;
      });
      const store = jobs.rowLock(pool);
      const hold = await claimed(store);
      settling = true;
      const closed = statement === 'COMMIT';
      expect(await hold.settle('ack')).toEqual({ state: 'done', closed });
      if (!closed) expect(await rejection(store.claim(1, eager))).toBeInstanceOf(Error);
      const next = await claimed(store);
      expect(next.session).not.toBe(hold.session);
      expect(await next.settle('ack')).toEqual({ state: 'done', closed: false });
    },
  );

  it('harms nobody where the pool is ended in the same turn', async () => {
    const jobs = await familyJobs(server);
    await jobs.add('counted', 2);
    const pool = jobs.pool();
    const store = jobs.rowLock(pool);
    const first = await claimed(store);
    const second = await claimed(store, 1);
    await Promise.all([first.settle('ack'), second.settle('release')]);
    const ending = pool.end();
    expect(await rejection(store.claim(1, eager))).toBeInstanceOf(Error);
    await ending;
    expect(await rejection(store.claim(1, eager))).toMatchObject({ code: 'database-closed' });
    expect(await jobs.rows('SELECT id FROM counted')).toEqual([['2']]);
  });
});
