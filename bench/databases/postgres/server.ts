import pg from 'pg';
import { postgres } from 'inbox-runtime/pg';
import type { InboxDatabase } from 'inbox-runtime';
import type { Statement } from 'inbox-runtime/v1';

/** A row, or what else a statement answers, as text. */
export type Row = readonly (string | null)[];

/** Where a statement is sent to: any connection of the pool, or one that is held. */
type Target = Pick<pg.ClientBase, 'query'>;

/** Postgres at `POSTGRES_URL`, with the tables in a schema of their own. */
export interface PostgresServer {
  readonly title: string;
  readonly pool: pg.Pool;
  readonly database: InboxDatabase<'postgres'>;
  /** Sends a statement by its name, which is prepared once a connection. */
  readonly send: (
    target: Target,
    statement: Statement,
    name: string,
    values: unknown[],
  ) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>;
  fill(table: string, rows: number): Promise<void>;
  left(table: string): Promise<number>;
  sent(): number;
  close(): Promise<void>;
}

/** Connects, and makes the tables. */
export async function openServer(): Promise<PostgresServer> {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined) throw new Error('POSTGRES_URL is not set');
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    options: '-c search_path=inbox_bench',
  });
  // Counts what goes over the wire, for both sides alike.
  let statements = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]) => {
        statements += 1;
        return query(...args);
      },
    });
  });

  const version = await pool.query<{ server_version: string }>('SHOW server_version');
  await pool.query('DROP SCHEMA IF EXISTS inbox_bench CASCADE');
  await pool.query('CREATE SCHEMA inbox_bench');
  await pool.query(`
    CREATE TABLE reports (
      id BIGSERIAL PRIMARY KEY, attempt INTEGER NOT NULL DEFAULT 1,
      locked_until TIMESTAMPTZ, payload JSONB NOT NULL
    )`);
  for (const table of ['locked_reports', 'keyed_reports']) {
    await pool.query(`
      CREATE TABLE ${table} (
        id BIGSERIAL PRIMARY KEY, attempt INTEGER NOT NULL DEFAULT 1, payload JSONB NOT NULL
      )`);
  }
  const database = postgres(pool);

  return {
    title: `PostgreSQL ${version.rows[0]?.server_version ?? ''}, pg`,
    pool,
    database,
    async send(target, { text }, name, values) {
      const answer = await target.query<unknown[]>({ text, name, values, rowMode: 'array' });
      return { rows: answer.rows as unknown as Row[], count: answer.rowCount ?? 0 };
    },
    async fill(table, rows) {
      await pool.query(`TRUNCATE ${table} RESTART IDENTITY`);
      await pool.query(
        `INSERT INTO ${table} (payload)
         SELECT jsonb_build_object('report', n, 'pages', repeat('x', 80)) FROM generate_series(1, $1::int) n`,
        [rows],
      );
      await pool.query(`VACUUM ANALYZE ${table}`);
    },
    async left(table) {
      const answer = await pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`);
      return Number(answer.rows[0]?.n);
    },
    sent() {
      const count = statements;
      statements = 0;
      return count;
    },
    async close() {
      await database.close();
      await pool.query('DROP SCHEMA inbox_bench CASCADE');
      await pool.end();
    },
  };
}

/** Runs a loop on one connection of the pool. */
export async function onOneClient(
  pool: pg.Pool,
  loop: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await loop(client);
  } finally {
    client.release();
  }
}
