import { randomUUID } from 'node:crypto';

import type { InboxDatabase } from 'inbox-runtime';
import { postgres } from 'inbox-runtime/pg';
import pg from 'pg';

import type { Bench, Oddity, Session, ShownRow, Stand, Transaction } from './bench.js';
import { fixtureSchema } from './fixtures.js';

/** What a test may ask of PostgreSQL beside what every database can do. */
export interface PostgresStand extends Stand {
  /** A pool on the test's schema; closed with the stand. */
  pool(config?: pg.PoolConfig): pg.Pool;
  /** A client outside of every pool; closed with the stand. */
  client(): Promise<pg.Client>;
  /** The schema that holds the test's tables. */
  readonly schema: string;
}

/** The address of the server that the tests' setup has started, or was given. */
export function postgresUrl(): string {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined) {
    throw new Error('POSTGRES_URL is not set: run the tests with "npm test" or "npx vitest"');
  }
  return url;
}

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
export const postgresBench: Bench & { open(): Promise<PostgresStand> } = {
  name: 'postgres',
  open,
  now: 'statement_timestamp()',
  json: (text) => `'${text.replaceAll("'", "''")}'::jsonb`,
  fenceUnits: 1_000n,
  oddities,
};

async function open(): Promise<PostgresStand> {
  const schema = `inbox_${randomUUID().replaceAll('-', '')}`;
  const closing: (() => Promise<unknown>)[] = [];

  const pool = (config: pg.PoolConfig = {}): pg.Pool => {
    const made = new pg.Pool({
      connectionString: postgresUrl(),
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
      connectionString: postgresUrl(),
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
    environment: { INBOX_DATABASE: 'postgres', INBOX_SCHEMA: schema, POSTGRES_URL: postgresUrl() },
    close: async () => {
      for (const end of closing.slice(1).reverse()) {
        await end();
      }
      await own.query(`DROP SCHEMA ${schema} CASCADE`);
      await own.end();
    },
  };
}
