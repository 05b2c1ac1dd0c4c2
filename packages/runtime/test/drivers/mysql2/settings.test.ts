import { describe, expect, it } from 'vitest';

import { serverLimits } from '../../../src/drivers/mysql2/server-limits.js';
import { mariadbServer, mysqlServer } from '../../../src/drivers/mysql2/server.js';
import { settingsRefusal } from '../../../src/drivers/mysql2/settings-refusal.js';
import { rejection } from '../../support/until.js';
import { claimed, familyJobs, servers } from './family-jobs.js';

describe('the settings of a session', () => {
  it('that log statements refuse to be worked with, if there is a log', () => {
    const settings = { binlog_format: 'STATEMENT', log_bin: 'ON', sql_log_bin: 'ON' };
    const refusal = (change: object): string | undefined =>
      settingsRefusal(
        new Map<string, string>(Object.entries({ ...settings, ...change })),
        mysqlServer,
        'row-lock',
      );
    expect(refusal({})).toContain('binlog_format');
    expect(refusal({ log_bin: 'OFF' })).toBeUndefined();
    expect(refusal({ sql_log_bin: 'OFF' })).toBeUndefined();
    expect(refusal({ binlog_format: 'MIXED' })).toBeUndefined();
  });

  it('that keep MariaDB from deleting by a list refuse the lease form there', () => {
    const settings = new Map([['sql_safe_updates', 'ON']]);
    expect(settingsRefusal(settings, mariadbServer, 'lease')).toContain('sql_safe_updates');
    expect(settingsRefusal(settings, mysqlServer, 'lease')).toBeUndefined();
    expect(settingsRefusal(settings, mariadbServer, 'row-lock')).toBeUndefined();
  });

  it('that limit what is idle are those of the form, under an hour', () => {
    const limits = (settings: Record<string, string>, form: 'lease' | 'row-lock' | 'advisory') =>
      serverLimits(new Map(Object.entries(settings)), form).map(
        ({ setting, milliseconds }) => `${setting} ${milliseconds}`,
      );
    const settings = {
      wait_timeout: '60',
      idle_transaction_timeout: '30',
      idle_readonly_transaction_timeout: '0',
      max_statement_time: '1.500000',
      max_execution_time: '250',
    };
    expect(limits(settings, 'lease')).toEqual([]);
    expect(limits(settings, 'row-lock')).toEqual([
      'wait_timeout 60000',
      'idle_transaction_timeout 30000',
      'max_statement_time 1500',
      'max_execution_time 250',
    ]);
    expect(limits(settings, 'advisory')).toEqual([
      'wait_timeout 60000',
      'max_statement_time 1500',
      'max_execution_time 250',
    ]);
    expect(limits({ wait_timeout: '3600' }, 'row-lock')).toEqual([]);
    expect(limits({ wait_timeout: '3599' }, 'row-lock')).toEqual(['wait_timeout 3599000']);
  });
});

/** Settings of a pool or of its sessions that must change nothing. */
const oddities = [
  ['changed rows for found ones', { flags: ['-FOUND_ROWS'] }, ''],
  ['rows as arrays', { rowsAsArray: true }, ''],
  ['tables nested', { nestTables: true }, ''],
  ['named placeholders', { namedPlaceholders: true }, ''],
  ['a type cast that loses everything', { typeCast: () => 'cast' }, ''],
  [
    'a type cast that throws',
    {
      typeCast: () => {
        throw new Error('a type cast of the user');
      },
    },
    '',
  ],
  ['big numbers as strings', { supportBigNumbers: true, bigNumberStrings: true }, ''],
  ['two prepared statements kept', { maxPreparedStatements: 2 }, ''],
  ['no commit by itself', {}, 'SET SESSION autocommit = 0'],
  ['isolation SERIALIZABLE', {}, 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'],
  [
    'no commit by itself in SERIALIZABLE',
    {},
    'SET SESSION autocommit = 0, SESSION transaction_isolation = SERIALIZABLE',
  ],
  ['safe updates', {}, 'SET SESSION sql_safe_updates = 1'],
] as const;

describe.each(servers)('a session on %s', (server) => {
  it.each(oddities)('with %s works rows as any other', async (_, options, settings) => {
    const jobs = await familyJobs(server);
    // MariaDB 10.6 knows the isolation by another name.
    const text =
      server === 'mariadb' ? settings.replace('transaction_isolation', 'tx_isolation') : settings;
    const pool = jobs.pool(
      { ...options, ...('flags' in options ? { flags: [...options.flags] } : {}) } as never,
      text === '' ? undefined : text,
    );
    for (const table of ['counted', 'bare'] as const) {
      for (const store of [
        jobs.rowLock(pool, {}, table),
        jobs.advisory(pool, {}, table),
        jobs.ownLock(pool, undefined, {}, table),
      ]) {
        await store.check();
        await jobs.rows(`DELETE FROM ${table}`);
        await jobs.add(table, 3);
        for (const verb of ['retry', 'release', 'ack'] as const) {
          const first = await claimed(store);
          const second = await claimed(store, 1);
          expect([first.cells[0], second.cells[0]]).toEqual(['1', '2']);
          expect(await first.settle(verb)).toEqual({ state: 'done', closed: false });
          expect(await second.settle(verb)).toEqual({ state: 'done', closed: false });
        }
        expect(await jobs.rows(`SELECT id FROM ${table}`)).toEqual([['3']]);
        const last = await claimed(store);
        await last.settle('ack');
        expect(await store.claim(1, { busy: 0, idle: false })).toEqual([]);
        expect(await store.claim(1, { busy: 0, idle: true })).toEqual([]);
        expect(await jobs.transactions()).toEqual([]);
      }
    }
  });

  it('tells of the limits that a long handler would run into', async () => {
    const jobs = await familyJobs(server);
    const settings =
      server === 'mysql'
        ? 'SET SESSION wait_timeout = 60, max_execution_time = 2000'
        : 'SET SESSION wait_timeout = 60, idle_transaction_timeout = 20';
    const pool = jobs.pool({}, settings);
    const limits = async (store: { check(): Promise<readonly object[]> }): Promise<unknown> =>
      (await store.check()).map((limit) => ({ ...limit, consequence: undefined }));
    const idle = { setting: 'wait_timeout', milliseconds: 60_000, consequence: undefined };
    const others =
      server === 'mysql'
        ? [{ setting: 'max_execution_time', milliseconds: 2_000, consequence: undefined }]
        : [{ setting: 'idle_transaction_timeout', milliseconds: 20_000, consequence: undefined }];
    expect(await limits(jobs.rowLock(pool))).toEqual([idle, ...others]);
    expect(await limits(jobs.advisory(pool))).toEqual([
      idle,
      ...(server === 'mysql' ? others : []),
    ]);
    expect(await limits(jobs.rowLock(jobs.pool()))).toEqual([]);
  });

  it('that is read-only is refused', async () => {
    const jobs = await familyJobs(server);
    const pool = jobs.pool({}, 'SET SESSION TRANSACTION READ ONLY');
    for (const store of [jobs.rowLock(pool), jobs.advisory(pool), jobs.ownLock(pool)]) {
      expect(await rejection(store.check())).toMatchObject({
        code: 'statement-refused',
        message: expect.stringContaining('read-only') as string,
      });
    }
  });

  it('that cannot be had is not waited for by a check for long', async () => {
    const jobs = await familyJobs(server);
    const pool = jobs.pool({ connectionLimit: 1 });
    const connection = await pool.getConnection();
    const store = jobs.rowLock(pool, { answerTimeout: '300ms' });
    expect(await rejection(store.check())).toMatchObject({
      code: 'database-unreachable',
      message: expect.stringContaining('handed out no connection within 300 ms') as string,
    });
    connection.release();
  });
});
