import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { InboxDatabase } from 'inbox-runtime';
import { postgres } from 'inbox-runtime/pg';
import pg from 'pg';
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

/** What a test may ask of PostgreSQL beside what every database can do. */
export interface PostgresStand extends ServerStand {
  /** A pool on the test's schema; closed with the stand. */
  pool(config?: pg.PoolConfig): pg.Pool;
  /** A client outside of every pool; closed with the stand. */
  client(): Promise<pg.Client>;
  /** The schema that holds the test's tables. */
  readonly schema: string;
  /** The address of the database that holds the schema: one for all tests of a file. */
  readonly url: string;
}

/** The address of the server that the tests' setup has started, or was given. */
export function postgresUrl(): string {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined) {
    throw new Error('POSTGRES_URL is not set: run the tests with "npm test" or "npx vitest"');
  }
  return url;
}

/** The address of a database of the server. */
function urlOf(name: string): string {
  const url = new URL(postgresUrl());
  url.pathname = name;
  return url.href;
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates an empty database; session locks are one database's. Answers its name. */
async function createDatabase(): Promise<string> {
  const name = `inbox_${randomUUID().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`);
  return name;
}

/** Drops a database; sessions whose programs have ended may need a moment to follow them. */
async function dropDatabase(name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await onServer(`DROP DATABASE ${name}`);
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await delay(100);
    }
  }
}

/** The database of this test file: two files may use the same session locks at a time. */
let shared: Promise<string> | undefined;

afterAll(async () => {
  if (shared !== undefined) await dropDatabase(await shared);
});

/** Every value as the text that the server sent. */
const asText: pg.CustomTypesConfig = {
  getTypeParser: () => (value: string | null) => value,
};

/** Settings of driver and session that must change nothing, each with a pool of its own. */
const oddities: readonly Oddity[] = [
  ...[
    ['time zone Asia/Kolkata', '-c TimeZone=Asia/Kolkata'],
    ['time zone America/St_Johns', '-c TimeZone=America/St_Johns'],
    ['DateStyle SQL, DMY', '-c DateStyle=SQL,DMY'],
    ['DateStyle German', '-c DateStyle=German -c TimeZone=Europe/Berlin'],
    ['IntervalStyle sql_standard', '-c IntervalStyle=sql_standard'],
    ['bytea_output escape', '-c bytea_output=escape'],
    ['extra_float_digits -3', '-c extra_float_digits=-3'],
    [
      'default isolation repeatable read',
      String.raw`-c default_transaction_isolation=repeatable\ read`,
    ],
    ['default isolation serializable', '-c default_transaction_isolation=serializable'],
    ['standard_conforming_strings off', '-c standard_conforming_strings=off'],
  ].map(([title = '', options = '']): Oddity => ({
    title,
    connect: (stand) => postgres((stand as PostgresStand).pool({ options })),
  })),
  {
    title: 'every type parser replaced by one that loses digits',
    connect: (stand) =>
      postgres((stand as PostgresStand).pool({ types: { getTypeParser: () => Number } })),
  },
  {
    title: 'every type parser replaced by one that throws',
    connect: (stand) => {
      const refuse = (): never => {
        throw new Error('a type parser of the user');
      };
      return postgres((stand as PostgresStand).pool({ types: { getTypeParser: () => refuse } }));
    },
  },
];

/** PostgreSQL: every stand is a schema of its own, first in the search path of its connections. */
export const postgresBench: ServerBench & { open(): Promise<PostgresStand> } = {
  name: 'postgres',
  open: async () => open(await (shared ??= createDatabase())),
  openApart: async () => {
    const database = await createDatabase();
    const stand = await open(database);
    const close = async (): Promise<void> => {
      await stand.close();
      await dropDatabase(database);
    };
    return { ...stand, close };
  },
  now: 'statement_timestamp()',
  json: (text) => `'${text.replaceAll("'", "''")}'::jsonb`,
  plainPayload: (table) => `ALTER TABLE ${table} ALTER COLUMN payload TYPE TEXT`,
  fenceUnits: 1_000n,
  oddities,
  lockTable: (table) => `BEGIN; LOCK TABLE ${table}`,
  unlockTable: 'COMMIT',
  unlockAll: 'SELECT pg_advisory_unlock_all()',
  idleSetting: {
    'row-lock': 'idle_in_transaction_session_timeout',
    advisory: 'idle_session_timeout',
  },
};

/** Settings of a session, as a connection's `options` take them. */
function sessionOptions({ idleLimit, statementLimit, serializable }: SessionSettings): string {
  return [
    ...(idleLimit === undefined
      ? []
      : [
          `idle_in_transaction_session_timeout=${idleLimit}s`,
          `idle_session_timeout=${idleLimit}s`,
        ]),
    ...(statementLimit === undefined ? [] : [`statement_timeout=${statementLimit}s`]),
    ...(serializable === true ? ['default_transaction_isolation=serializable'] : []),
  ]
    .map((setting) => `-c ${setting}`)
    .join(' ');
}

/** Keeps the texts of the statements that a pool's clients are sent. */
export function keepTexts(pool: pg.Pool, texts: string[]): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]): unknown => {
        const [first] = args;
        texts.push(typeof first === 'string' ? first : (first as { text: string }).text);
        return query(...args);
      },
    });
  });
}

async function open(database: string): Promise<PostgresStand> {
  const url = urlOf(database);
  const schema = `inbox_${randomUUID().replaceAll('-', '')}`;
  const closing: (() => Promise<unknown>)[] = [];

  const pool = (config: pg.PoolConfig = {}): pg.Pool => {
    const made = new pg.Pool({
      connectionString: url,
      application_name: schema,
      max: 8,
      ...config,
      options: `-c search_path=${schema} ${config.options ?? ''}`,
    });
    // A connection that the server ends while it is idle is the pool's business.
    made.on('error', () => undefined);
    closing.push(() => (made.ended ? Promise.resolve() : made.end()));
    return made;
  };
  const client = async (): Promise<pg.Client> => {
    const made = new pg.Client({
      connectionString: url,
      options: `-c search_path=${schema}`,
    });
    made.on('error', () => undefined);
    await made.connect();
    closing.push(() => made.end());
    return made;
  };

  const own = await client();
  const rows = async (sql: string): Promise<readonly ShownRow[]> =>
    (await own.query<Record<string, string | null>>({ text: sql, types: asText })).rows;
  await own.query(`CREATE SCHEMA ${schema}`);
  await own.query(fixtureSchema('postgres'));

  return {
    schema,
    url,
    pool,
    client,
    connect: () => {
      const database: InboxDatabase<'postgres'> = postgres(pool());
      closing.push(() => database.close());
      return database;
    },
    run: async (sql) => {
      await own.query(sql);
    },
    rows,
    session: async (): Promise<Session> => {
      const made = await client();
      return {
        run: async (sql) => {
          await made.query(sql);
        },
        close: () => made.end(),
      };
    },
    begin: async (): Promise<Transaction> => {
      const made = await client();
      await made.query('BEGIN');
      return {
        tx: made,
        commit: async () => {
          await made.query('COMMIT');
        },
        rollback: async () => {
          await made.query('ROLLBACK');
        },
      };
    },
    connectWith: (settings): PooledDatabase => {
      const own = pool({ max: settings.connections ?? 8, options: sessionOptions(settings) });
      const texts: string[] = [];
      keepTexts(own, texts);
      const clients = new Set<pg.PoolClient>();
      own.on('connect', (made) => clients.add(made));
      own.on('remove', (made) => clients.delete(made));
      const { connectionLimit } = settings;
      return {
        database: postgres(own, { connectionLimit }),
        query: (sql) => own.query(sql),
        onEach: async (sql) => {
          for (const made of clients) await made.query(sql);
        },
        texts,
      };
    },
    held: async () => {
      const held = await rows(
        `SELECT 'transaction of ' || pid || ', ' || state || ': ' || query AS what
         FROM pg_stat_activity
         WHERE application_name LIKE '%${schema}%' AND xact_start IS NOT NULL
         UNION ALL
         SELECT 'lock of ' || pid || ' on ' || classid || ', ' || objid
         FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE application_name LIKE '%${schema}%' AND locktype = 'advisory'`,
      );
      return held.map(({ what }) => what ?? '');
    },
    waiting: async () => {
      const [row] = await rows(
        `SELECT count(*) AS n FROM pg_stat_activity
         WHERE application_name LIKE '%${schema}%' AND wait_event_type = 'Lock'`,
      );
      return Number(row?.['n']);
    },
    sessions: async () => {
      const [row] = await rows(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name LIKE '%${schema}%'`,
      );
      return Number(row?.['n']);
    },
    endSessions: async () => {
      await own.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE '%${schema}%'`,
      );
    },
    environment: { INBOX_DATABASE: 'postgres', INBOX_SCHEMA: schema, POSTGRES_URL: url },
    close: async () => {
      for (const end of closing.slice(1).reverse()) {
        await end();
      }
      await own.query(`DROP SCHEMA ${schema} CASCADE`);
      await own.end();
    },
  };
}
