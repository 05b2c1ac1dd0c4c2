import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { InboxDatabase } from 'inbox-runtime';
import type { MysqlCallbackPool, MysqlOptions, MysqlPool } from 'inbox-runtime/mysql2';
import { createPool, type PoolConnection, type PoolOptions as CallbackPoolOptions } from 'mysql2';
import mysql, { type Connection, type Pool, type PoolOptions } from 'mysql2/promise';
import { afterAll } from 'vitest';

import type {
  Oddity,
  PooledDatabase,
  ServerBench,
  ServerStand,
  Session,
  SessionSettings,
  ShownRow,
  Transaction,
} from './bench.js';
import { fixtureSchema } from './fixtures.js';

/**
 * What the generated classes for both servers are given. They take either; a test gives the one that
 * its bench is for.
 */
export type FamilyDatabase = InboxDatabase<'mysql' | 'mariadb'>;

/** What a test may ask of MySQL or MariaDB beside what every database can do. */
export interface FamilyStand extends ServerStand {
  /** A pool on the test's database whose new connections run `settings`; ended with the stand. */
  pool(options?: PoolOptions, ...settings: readonly string[]): Pool;
  /** A connection outside of every pool; ended with the stand. */
  connection(options?: PoolOptions): Promise<Connection>;
  /** An `InboxDatabase` over a pool. */
  over(pool: MysqlPool | MysqlCallbackPool, options?: MysqlOptions): FamilyDatabase;
  /** The database that holds the test's tables. */
  readonly schema: string;
  /** The server's address. */
  readonly uri: string;
}

/** A bench for one of the two servers. */
export interface FamilyBench extends ServerBench {
  readonly name: 'mysql' | 'mariadb';
  open(): Promise<FamilyStand>;
}

/** What differs between the two servers in the tests. */
export interface Family {
  readonly name: 'mysql' | 'mariadb';
  readonly variable: 'MYSQL_URL' | 'MARIADB_URL';
  readonly over: (pool: MysqlPool | MysqlCallbackPool, options?: MysqlOptions) => FamilyDatabase;
  /** A query for the locks of GET_LOCK that sessions on a database hold: `id`, `what`. */
  readonly sessionLocks: (schema: string) => string;
  /** Has the server end a statement, or its waiting for a lock, after so many seconds. */
  readonly statementLimit: (seconds: number) => string;
}

/** Options of a pool that a user may have, and that must change nothing. */
const optionOddities: readonly (readonly [string, PoolOptions])[] = [
  ['timezone +05:30', { timezone: '+05:30' }],
  ['timezone Z, dates as strings', { timezone: 'Z', dateStrings: true }],
  ['dates as strings in part', { dateStrings: ['DATE'] }],
  ['big numbers supported', { supportBigNumbers: true }],
  ['big numbers as strings', { supportBigNumbers: true, bigNumberStrings: true }],
  ['no big numbers', { supportBigNumbers: false, bigNumberStrings: false }],
  ['decimals as numbers', { decimalNumbers: true }],
  ['JSON as strings', { jsonStrings: true }],
  ['changed rows for found ones', { flags: ['-FOUND_ROWS'] }],
  ['a type cast that loses everything', { typeCast: () => 'cast' }],
  [
    'a type cast that throws',
    {
      typeCast: () => {
        throw new Error('a type cast of the user');
      },
    },
  ],
  ['no type cast', { typeCast: false }],
  ['rows as arrays', { rowsAsArray: true }],
  ['tables nested', { nestTables: true }],
  ['named placeholders', { namedPlaceholders: true }],
  ['several statements a query', { multipleStatements: true }],
  ['two prepared statements kept', { maxPreparedStatements: 2 }],
];

/** Settings of a session, likewise. */
const sessionOddities: readonly (readonly [string, string])[] = [
  ['session zone +05:30', "SET time_zone = '+05:30'"],
  ['session zone -12:00', "SET time_zone = '-12:00'"],
  ['no strict mode', "SET sql_mode = ''"],
  [
    'every strict mode, and quotes and bars as in the standard',
    "SET sql_mode = 'TRADITIONAL,ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,ONLY_FULL_GROUP_BY'",
  ],
  [
    'padded CHARs and other precedence',
    "SET sql_mode = 'STRICT_ALL_TABLES,PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,IGNORE_SPACE,NO_UNSIGNED_SUBTRACTION'",
  ],
  ['default isolation repeatable read', 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ'],
  ['default isolation serializable', 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'],
  ['no commit by itself', 'SET autocommit = 0'],
];

const oddities: readonly Oddity[] = [
  ...optionOddities.map(([title, options]): Oddity => ({
    title,
    connect: (stand) => (stand as FamilyStand).over((stand as FamilyStand).pool(options)),
  })),
  ...sessionOddities.map(([title, settings]): Oddity => ({
    title,
    connect: (stand) => (stand as FamilyStand).over((stand as FamilyStand).pool({}, settings)),
  })),
];

/**
 * A bench for a server of the family: every stand has a database of its own, which the next stand
 * gets emptied where no statement of the test has changed its tables.
 */
export function familyBench(family: Family): FamilyBench {
  const spare: string[] = [];
  afterAll(async () => {
    if (spare.length === 0) return;
    const connection = await mysql.createConnection(familyUrl(family));
    for (const schema of spare) await connection.query(`DROP DATABASE ${schema}`);
    await connection.end();
  });
  return {
    name: family.name,
    open: () => open(family, spare),
    openApart: () => open(family, spare),
    now: 'UTC_TIMESTAMP(6)',
    json: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
    plainPayload: (table) => `ALTER TABLE ${table} MODIFY COLUMN payload TEXT NOT NULL`,
    fenceUnits: 1_000n,
    oddities,
    lockTable: (table) => `LOCK TABLES ${table} WRITE`,
    unlockTable: 'UNLOCK TABLES',
    unlockAll: 'SELECT RELEASE_ALL_LOCKS()',
    idleSetting: { 'row-lock': 'wait_timeout', advisory: 'wait_timeout' },
  };
}

/**
 * The server renews what it shows of transactions only when nobody has looked for a tenth of a second:
 * whoever asks more often never sees a change.
 */
const looked = {
  last: -Infinity,
  async renewed(): Promise<void> {
    const pause = this.last + 120 - performance.now();
    if (pause > 0) await delay(pause);
    this.last = performance.now();
  },
};

/** Keeps the texts of the statements that a pool's connections are sent. */
function keepTexts({ pool }: Pool, texts: string[]): void {
  pool.on('connection', (connection) => {
    for (const verb of ['query', 'execute'] as const) {
      const send = connection[verb].bind(connection) as (...args: unknown[]) => unknown;
      Object.assign(connection, {
        [verb]: (...args: unknown[]): unknown => {
          const [first] = args;
          texts.push(typeof first === 'string' ? first : (first as { sql: string }).sql);
          return send(...args);
        },
      });
    }
  });
}

/** Runs a query on a connection, behind whatever it is doing. */
function ask(connection: PoolConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

/** Settings of a session as statements. */
function sessionStatements(family: Family, settings: SessionSettings): readonly string[] {
  const { idleLimit, statementLimit, serializable } = settings;
  return [
    ...(idleLimit === undefined ? [] : [`SET SESSION wait_timeout = ${idleLimit}`]),
    ...(statementLimit === undefined ? [] : [family.statementLimit(statementLimit)]),
    ...(serializable === true ? ['SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE'] : []),
  ];
}

/** The address of the server that the tests' setup has started, or was given. */
export function familyUrl({ variable }: Family): string {
  const url = process.env[variable];
  if (url === undefined) {
    throw new Error(`${variable} is not set: run the tests with "npm test" or "npx vitest"`);
  }
  return url;
}

async function open(family: Family, spare: string[]): Promise<FamilyStand> {
  const uri = familyUrl(family);
  const emptied = spare.pop();
  const schema = emptied ?? `inbox_${randomUUID().replaceAll('-', '')}`;
  let altered = false;
  const closing: (() => Promise<unknown>)[] = [];

  const own = await mysql.createConnection({ uri, multipleStatements: true });
  if (emptied === undefined) {
    await own.query(`CREATE DATABASE ${schema} CHARACTER SET utf8mb4; USE ${schema}`);
    await own.query(fixtureSchema('mysql-family'));
  } else {
    await own.query(`USE ${schema}`);
  }
  // The suite quotes names as the standard does.
  await own.query("SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')");

  // Sessions of the test itself, which hold what they like.
  const apart = [own.threadId];
  const others = (): string => `db = '${schema}' AND id NOT IN (${apart.join()})`;
  const pool = (options: PoolOptions = {}, ...settings: readonly string[]): Pool => {
    const made = createPool({
      uri,
      database: schema,
      connectionLimit: 8,
      ...options,
    } as CallbackPoolOptions);
    made.on('connection', (connection) => {
      for (const setting of settings) connection.query(setting);
    });
    const promised = made.promise();
    let ended = false;
    const end = promised.end.bind(promised);
    promised.end = () => (ended ? Promise.resolve() : ((ended = true), end()));
    closing.push(() => promised.end());
    return promised;
  };
  const connection = async (options: PoolOptions = {}): Promise<Connection> => {
    const made = await mysql.createConnection({ uri, database: schema, ...options });
    // A connection that the server ends says so at the next query.
    made.on('error', () => undefined);
    apart.push(made.threadId);
    closing.push(() => made.end().catch(() => undefined));
    return made;
  };
  const rows = async (sql: string): Promise<readonly ShownRow[]> => {
    const [answer] = await own.query({ sql, typeCast: (field) => field.string('utf8') });
    return answer as readonly ShownRow[];
  };

  return {
    schema,
    uri,
    pool,
    connection,
    over: family.over,
    connect: () => {
      const database = family.over(pool());
      closing.push(() => database.close());
      return database;
    },
    run: async (sql) => {
      altered ||= changesTables.test(sql);
      if (sql !== '') await own.query(sql);
    },
    rows,
    session: async (): Promise<Session> => {
      const made = await connection({ multipleStatements: true });
      return {
        run: async (sql) => {
          altered ||= changesTables.test(sql);
          await made.query(sql);
        },
        close: () => made.end(),
      };
    },
    begin: async (): Promise<Transaction> => {
      const made = await connection();
      await made.beginTransaction();
      return { tx: made, commit: () => made.commit(), rollback: () => made.rollback() };
    },
    connectWith: (settings): PooledDatabase => {
      const { connections = 8, connectionLimit } = settings;
      const made = pool({ connectionLimit: connections }, ...sessionStatements(family, settings));
      const texts: string[] = [];
      keepTexts(made, texts);
      const opened: PoolConnection[] = [];
      made.pool.on('connection', (connection) => opened.push(connection));
      return {
        database: family.over(made, { connectionLimit }),
        query: (sql) => made.query(sql),
        onEach: async (sql) => {
          await Promise.all(opened.map((each) => ask(each, sql)));
        },
        texts,
      };
    },
    held: async () => {
      await looked.renewed();
      const transactions = await rows(
        `SELECT CONCAT('transaction of ', id) AS what
         FROM information_schema.innodb_trx
         JOIN information_schema.processlist ON id = trx_mysql_thread_id
         WHERE ${others()}`,
      );
      const locks = await rows(
        `SELECT CONCAT('lock of ', id, ' on ', what) AS what
         FROM (${family.sessionLocks(schema)}) locks
         JOIN information_schema.processlist USING (id)
         WHERE ${others()}`,
      );
      return [...transactions, ...locks].map(({ what }) => what ?? '');
    },
    waiting: async () => {
      await looked.renewed();
      const [row] = await rows(
        `SELECT count(*) AS n FROM information_schema.processlist
         LEFT JOIN information_schema.innodb_trx ON trx_mysql_thread_id = id
         WHERE ${others()} AND (trx_state = 'LOCK WAIT' OR state LIKE 'Waiting for table%')`,
      );
      return Number(row?.['n']);
    },
    sessions: async () => {
      const [row] = await rows(
        `SELECT count(*) AS n FROM information_schema.processlist WHERE ${others()}`,
      );
      return Number(row?.['n']);
    },
    endSessions: async () => {
      const sessions = await rows(
        `SELECT id FROM information_schema.processlist WHERE ${others()}`,
      );
      for (const { id = null } of sessions) {
        // One may have ended by itself meanwhile.
        await own.query(`KILL CONNECTION ${String(id)}`).catch(() => undefined);
      }
    },
    environment: { INBOX_DATABASE: family.name, INBOX_SCHEMA: schema, [family.variable]: uri },
    close: async () => {
      for (const end of closing.reverse()) {
        await end();
      }
      await own.end();
      const connection = await mysql.createConnection({ uri, database: schema });
      if (altered) {
        await connection.query(`DROP DATABASE ${schema}`);
      } else {
        await empty(connection, schema);
        spare.push(schema);
      }
      await connection.end();
    },
  };
}

const changesTables = /\b(?:ALTER|CREATE|DROP|RENAME)\b/;

/** Empties all tables and has their numbers begin at 1 again. */
async function empty(connection: Connection, schema: string): Promise<void> {
  // MySQL would answer numbers that it has cached.
  await connection.query('SET @inbox = 1 /*!80000, information_schema_stats_expiry = 0 */');
  const [tables] = (await connection.query(
    `SELECT table_name AS name, auto_increment > 1 AS used
     FROM information_schema.tables WHERE table_schema = ?`,
    [schema],
  )) as unknown as [readonly { readonly name: string; readonly used: number | null }[]];
  for (const { name, used } of tables) {
    await connection.query('DELETE FROM ??', [name]);
    if (used === 1) await connection.query('ALTER TABLE ?? AUTO_INCREMENT = 1', [name]);
  }
}
