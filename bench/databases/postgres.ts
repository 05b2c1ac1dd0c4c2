import pg from 'pg';
import { postgres } from 'inbox-runtime/pg';
import type { Statement } from 'inbox-runtime/v1';
import type { Bench } from '../bench.js';
import { reportSpec } from '../generated/index.js';

const { claimOne, claim, ack } = reportSpec.statements.postgres;

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = '30000';

type Row = readonly [id: string, held: string, attempt: string, payload: string];

/** Postgres at `POSTGRES_URL`, in a schema of its own. */
export async function openPostgres(): Promise<Bench> {
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

  const send = async ({ text }: Statement, name: string, values: unknown[]): Promise<Row[]> => {
    const answer = await pool.query<unknown[]>({ text, name, values, rowMode: 'array' });
    return answer.rows as unknown as Row[];
  };
  // A claim that comes late to a row locks it for a moment, so an acknowledgement can find it busy.
  const settle = async (rows: readonly Row[]): Promise<void> => {
    for (let open = rows; open.length > 0;) {
      const asked = open;
      const answers = await send(ack, 'bench-ack', [
        asked.map(([id]) => id),
        asked.map(([, held]) => held),
        asked.map(([, , attempt]) => attempt),
      ]);
      open = asked.filter((_, index) => answers[index]?.[1] === 'busy');
    }
  };

  return {
    title: `PostgreSQL ${version.rows[0]?.server_version ?? ''}, pg`,
    database: postgres(pool),
    async fill(rows) {
      await pool.query('TRUNCATE reports RESTART IDENTITY');
      await pool.query(
        `INSERT INTO reports (payload)
         SELECT jsonb_build_object('report', n, 'pages', repeat('x', 80)) FROM generate_series(1, $1::int) n`,
        [rows],
      );
      await pool.query('VACUUM ANALYZE reports');
    },
    async left() {
      const answer = await pool.query<{ n: string }>('SELECT count(*) AS n FROM reports');
      return Number(answer.rows[0]?.n);
    },
    sent() {
      const count = statements;
      statements = 0;
      return count;
    },
    async rowByRow(handled) {
      for (;;) {
        const rows = await send(claimOne, 'bench-claim-one', [lease]);
        const [row] = rows;
        if (row === undefined) return;
        JSON.parse(row[3]);
        const last = handled();
        await settle(rows);
        if (last) return;
      }
    },
    async hundredAtATime(handled) {
      for (;;) {
        const rows = await send(claim, 'bench-claim', [lease, 100]);
        if (rows.length === 0) return;
        let last = false;
        for (const row of rows) {
          JSON.parse(row[3]);
          last = handled();
        }
        await settle(rows);
        if (last) return;
      }
    },
    async close() {
      await pool.query('DROP SCHEMA inbox_bench CASCADE');
      await pool.end();
    },
  };
}
