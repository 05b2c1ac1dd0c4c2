import pg from 'pg';
import { onTestFinished } from 'vitest';

import { postgresTable } from './jobs.js';

/** A schema of a test's own with the table in it. */
export interface PostgresJobs {
  /** A pool that works in the schema; `url` leads it elsewhere, `settings` are the server's. */
  pool(options?: {
    readonly url?: string;
    readonly settings?: string;
    readonly max?: number;
  }): pg.Pool;
  /** What a query answers, on a connection that no queue uses. */
  rows(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends all sessions that execute, or last executed, a statement like this. */
  endSessions(like: string): Promise<number>;
}

/** The server's address; the tests cannot do without one. */
export function postgresUrl(): string {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined) throw new Error('set POSTGRES_URL, or run the tests with npm test');
  return url;
}

let schemas = 0;

/** Makes a schema that is gone when the test has ended. */
export async function postgresJobs(): Promise<PostgresJobs> {
  schemas += 1;
  const schema = `inbox_runtime_${process.pid}_${schemas}`;
  const pools: pg.Pool[] = [];
  const open = (url: string, settings: string, max: number): pg.Pool => {
    const options = `-c search_path=${schema} ${settings}`;
    const pool = new pg.Pool({ connectionString: url, options, max, application_name: schema });
    pools.push(pool);
    return pool;
  };
  const own = open(postgresUrl(), '-c application_name=inbox_runtime_tests', 5);
  own.on('error', () => undefined);
  await own.query(`CREATE SCHEMA ${schema}; ${postgresTable}`);
  onTestFinished(async () => {
    await own.query(`DROP SCHEMA ${schema} CASCADE`);
    await Promise.all(pools.filter(({ ending }) => !ending).map((pool) => pool.end()));
  });
  return {
    pool: ({ url = postgresUrl(), settings = '', max = 10 } = {}) => open(url, settings, max),
    rows: async (text) => (await own.query<Record<string, unknown>>(text)).rows,
    endSessions: async (like) => {
      const { rowCount } = await own.query(
        `SELECT pg_terminate_backend(pid)
         FROM pg_stat_activity
         WHERE application_name = $1 AND state <> 'idle' AND query LIKE $2`,
        [schema, like],
      );
      return rowCount ?? 0;
    },
  };
}
