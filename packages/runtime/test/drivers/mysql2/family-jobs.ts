import mysql, { type Connection, type Pool, type PoolOptions } from 'mysql2/promise';
import { expect, onTestFinished } from 'vitest';

import type { Hold, HoldStore } from '../../../src/drivers/hold-store.js';
import {
  mariadb,
  mysql as mysqlDatabase,
  type InboxDatabase,
  type MysqlCommand,
  type MysqlOptions,
  type MysqlPool,
  type MysqlPoolConnection,
} from '../../../src/drivers/mysql2/index.js';
import type { DriverTable } from '../../../src/drivers/tables.js';
import type { OwnLock } from '../../../src/drivers/own-lock.js';
import { until } from '../../support/until.js';
import { advisoryStatements, ownLockStatements, rowLockStatements, tables } from './statements.js';

/** The two servers, by the variable that holds each one's address. */
export const servers = ['mysql', 'mariadb'] as const;

/** One of them. */
export type Server = (typeof servers)[number];

/** A table of the tests: with a count, or without. */
export type Table = 'counted' | 'bare';

/** A database of a test's own on one of the servers, and stores over its tables. */
export interface FamilyJobs {
  readonly schema: string;
  /** A pool on the database; every new connection of it runs `settings` first. */
  pool(options?: PoolOptions, settings?: string): Pool;
  /** A connection that no store uses. */
  connection(): Promise<Connection>;
  rowLock(pool: MysqlPool, options?: MysqlOptions, table?: Table): HoldStore;
  advisory(pool: MysqlPool, options?: MysqlOptions, table?: Table): HoldStore;
  ownLock(
    pool: MysqlPool,
    functions?: OwnLock<'mysql' | 'mariadb'>,
    options?: MysqlOptions,
    table?: Table,
  ): HoldStore;
  /** Adds so many rows with the numbers from 1 on. */
  add(table: Table, count: number): Promise<void>;
  /** What a query answers, all of it text. */
  rows(sql: string): Promise<readonly (readonly (string | null)[])[]>;
  /** The sessions on the database that have a transaction open, and whether it waits for a lock. */
  transactions(): Promise<readonly { readonly session: string; readonly waits: boolean }[]>;
  /** Ends a session, as the server's administrator would. */
  kill(session: string): Promise<void>;
  /** The session that holds the named lock of a key. */
  holderOf(key: string): Promise<string | null>;
}

let schemas = 0;

/** Makes a database that is gone when the test has ended; nothing of a store is left by then. */
export async function familyJobs(server: Server): Promise<FamilyJobs> {
  const variable = server === 'mysql' ? 'MYSQL_URL' : 'MARIADB_URL';
  const uri = process.env[variable];
  if (uri === undefined) throw new Error(`set ${variable}, or run the tests with npm test`);
  schemas += 1;
  const schema = `inbox_runtime_${process.pid}_${schemas}`;
  const closing: (() => Promise<unknown>)[] = [];
  const own = await mysql.createConnection({ uri, multipleStatements: true });
  await own.query(`CREATE DATABASE ${schema} CHARACTER SET utf8mb4; USE ${schema}; ${tables}`);

  const rows: FamilyJobs['rows'] = async (sql) => {
    const [answer] = await own.query({
      sql,
      rowsAsArray: true,
      typeCast: (field) => field.string(),
    });
    return answer as unknown as readonly (readonly (string | null)[])[];
  };
  // Not from INNODB_TRX: that is a copy, which is not made anew while somebody keeps reading it.
  const transactions: FamilyJobs['transactions'] = () =>
    server === 'mysql' ? mysqlTransactions(rows, schema) : mariadbTransactions(rows, schema);
  const lockNames = Array.from({ length: 64 }, (_, n) => `IS_USED_LOCK('${schema}.job-${n}')`);
  /** What the sessions of the test's database still hold, or have begun. */
  const held = async (): Promise<readonly unknown[]> => [
    ...(await transactions()),
    ...((await rows(`SELECT ${lockNames.join(', ')}`))[0] ?? []).filter(
      (holder) => holder !== null,
    ),
  ];
  onTestFinished(async () => {
    const left = await held();
    await until(
      `nothing is held: ${JSON.stringify(left)}`,
      async () => (await held()).length === 0,
    );
    for (const close of closing.reverse()) await close();
    await own.query(`DROP DATABASE ${schema}`);
    await own.end();
  });

  const connection: FamilyJobs['connection'] = async () => {
    const made = await mysql.createConnection({ uri, database: schema });
    made.on('error', () => undefined);
    closing.push(() => made.end().catch(() => undefined));
    return made;
  };
  const database = (pool: MysqlPool, options?: MysqlOptions): InboxDatabase<'mysql' | 'mariadb'> =>
    server === 'mysql' ? mysqlDatabase(pool, options) : mariadb(pool, options);
  const shape = (table: Table): DriverTable => ({
    queue: 'Job',
    table,
    keyWidth: 1,
    counted: table === 'counted',
    hostClock: false,
  });
  const both = <Statements>(statements: Statements): Record<Server, Statements> => ({
    mysql: statements,
    mariadb: statements,
  });

  return {
    schema,
    pool(options = {}, settings) {
      const pool = mysql.createPool({ uri, database: schema, connectionLimit: 8, ...options });
      if (settings !== undefined) {
        pool.on('connection', (made) => void (made as unknown as Connection).query(settings));
      }
      // The test may have ended it, which the driver does not do twice.
      closing.push(() => pool.end().catch(() => undefined));
      return pool;
    },
    connection,
    rowLock: (pool, options, table = 'counted') =>
      database(pool, options).openRowLock({
        ...shape(table),
        statements: both(rowLockStatements(table)),
      }),
    advisory: (pool, options, table = 'counted') =>
      database(pool, options).openAdvisory(
        { ...shape(table), statements: both(advisoryStatements(table, schema)) },
        undefined,
      ),
    ownLock: (pool, functions, options, table = 'counted') =>
      database(pool, options).openAdvisory(
        {
          ...shape(table),
          statements: both(ownLockStatements(table, schema, functions === undefined)),
        },
        functions,
      ),
    async add(table, count) {
      const values = Array.from({ length: count }, (_, index) => `(${index + 1}, '${index + 1}')`);
      await own.query(`INSERT INTO ${table} (id, payload) VALUES ${values.join(', ')}`);
    },
    rows,
    transactions,
    async kill(session) {
      await own.query(`KILL ${Number(session)}`);
      await until('the session is gone', async () => {
        const found = await rows(
          `SELECT 1 FROM information_schema.processlist WHERE id = ${session}`,
        );
        return found.length === 0;
      });
    },
    holderOf: async (key) =>
      (await rows(`SELECT IS_USED_LOCK('${schema}.${key}')`))[0]?.[0] ?? null,
  };
}

async function mysqlTransactions(
  rows: FamilyJobs['rows'],
  schema: string,
): ReturnType<FamilyJobs['transactions']> {
  const found = await rows(`
SELECT
  inbox_thread.processlist_id,
  EXISTS (
    SELECT 1 FROM performance_schema.data_lock_waits
    WHERE requesting_thread_id = inbox_thread.thread_id
  )
FROM performance_schema.events_transactions_current AS inbox_transaction
JOIN performance_schema.threads AS inbox_thread
  ON inbox_thread.thread_id = inbox_transaction.thread_id
WHERE inbox_transaction.state = 'ACTIVE'
  AND inbox_thread.processlist_db = '${schema}'
  AND inbox_thread.processlist_id <> CONNECTION_ID()`);
  return found.map(([session, waits]) => ({ session: session ?? '', waits: waits === '1' }));
}

async function mariadbTransactions(
  rows: FamilyJobs['rows'],
  schema: string,
): ReturnType<FamilyJobs['transactions']> {
  const sessions = new Set(
    (await rows(`SELECT id FROM information_schema.processlist WHERE db = '${schema}'`)).flat(),
  );
  const [[, , status] = []] = await rows('SHOW ENGINE INNODB STATUS');
  return (status ?? '').split('---TRANSACTION ').flatMap((text) => {
    const session = /thread id (\d+)/.exec(text)?.[1];
    return /^\d+, ACTIVE/.test(text) && session !== undefined && sessions.has(session)
      ? [{ session, waits: text.includes('LOCK WAIT') }]
      : [];
  });
}

type Answer = ReturnType<MysqlPoolConnection['query']>;

/** The same pool, but `watch` runs every statement of its connections, to do something before it. */
export function watched(
  pool: MysqlPool,
  watch: (sql: string, run: () => Answer, connection: MysqlPoolConnection) => Answer,
): MysqlPool {
  return {
    async getConnection() {
      const connection = await pool.getConnection();
      return {
        threadId: connection.threadId ?? null,
        execute: (query) => watch(query.sql, () => connection.execute(query), connection),
        // An author's own function gives a text and its values.
        query: (...query: [MysqlCommand | string, unknown[]?]) =>
          watch(
            typeof query[0] === 'string' ? query[0] : query[0].sql,
            () => connection.query(...(query as [MysqlCommand])),
            connection,
          ),
        prepare: (sql) => connection.prepare(sql),
        unprepare: (sql) => connection.unprepare(sql),
        ...(connection.connection === undefined ? {} : { connection: connection.connection }),
        release: () => {
          connection.release();
        },
        destroy: () => {
          connection.destroy();
        },
      };
    },
  };
}

/** The same pool, but before the first statement like this, something is done. */
export function interrupted(
  pool: MysqlPool,
  text: RegExp,
  interrupt: (connection: MysqlPoolConnection) => Promise<unknown>,
): MysqlPool {
  let done = false;
  return watched(pool, async (sql, run, connection) => {
    if (!done && text.test(sql)) {
      done = true;
      await interrupt(connection);
    }
    return run();
  });
}

/** Claims one row, which must be there. */
export async function claimed(store: HoldStore, busy = 0): Promise<Hold> {
  const holds = await store.claim(1, { busy, idle: false });
  expect(holds).toHaveLength(1);
  const [hold] = holds;
  if (hold === undefined) throw new Error('nothing was claimed');
  return hold;
}

/** The same where sessions may end under a claim: the first claim that takes a row. */
export async function claimedInTheEnd(store: HoldStore): Promise<Hold> {
  const found: Hold[] = [];
  await until('a row is claimed', async () => {
    found.push(...(await store.claim(1, { busy: 0, idle: false }).catch(() => [])));
    return found.length > 0;
  });
  const [hold] = found;
  if (hold === undefined) throw new Error('nothing was claimed');
  return hold;
}
