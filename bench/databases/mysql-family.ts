import type { Cell, ListStatement, MysqlLeaseStatements } from 'inbox-runtime/v1';
import mysql from 'mysql2/promise';
import { mariadb, mysql as mysqlDatabase } from 'inbox-runtime/mysql2';
import type { Bench, Handled } from '../bench.js';
import { reportSpec } from '../generated/index.js';

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = '30000';

type Row = readonly [id: string, held: string, attempt: string, payload: string];

/** MySQL at `MYSQL_URL`, in a database of its own. */
export function openMysql(): Promise<Bench> {
  return open('MYSQL_URL', 'MySQL', reportSpec.statements.mysql, mysqlDatabase);
}

/** MariaDB at `MARIADB_URL`, in a database of its own. */
export function openMariadb(): Promise<Bench> {
  return open('MARIADB_URL', 'MariaDB', reportSpec.statements.mariadb, mariadb);
}

async function open(
  variable: string,
  name: string,
  { claim, stamp, own, ack }: MysqlLeaseStatements,
  databaseOf: (pool: mysql.Pool) => Bench['database'],
): Promise<Bench> {
  const url = process.env[variable];
  if (url === undefined) throw new Error(`${variable} is not set`);
  const first = await mysql.createConnection(url);
  const [versions] = await first.query<mysql.RowDataPacket[]>('SELECT VERSION() AS version');
  await first.query('DROP DATABASE IF EXISTS inbox_bench');
  await first.query('CREATE DATABASE inbox_bench');
  await first.end();
  const address = new URL(url);
  address.pathname = '/inbox_bench';
  const pool = mysql.createPool({ uri: address.href, connectionLimit: 20 });
  await pool.query(`
    CREATE TABLE reports (
      id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, attempt INT NOT NULL DEFAULT 1,
      locked_until DATETIME(6) NULL, payload JSON NOT NULL
    ) ENGINE = InnoDB`);

  const counted = async (): Promise<number> => {
    const [rows] = await pool.query<mysql.RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number(rows[0]?.['Value']);
  };
  let before = 0;

  const run = async (
    connection: mysql.PoolConnection,
    sql: string,
    values: Cell[] = [],
  ): Promise<Row[]> => {
    const [rows] = await connection.execute({ sql, rowsAsArray: true }, values);
    return rows as unknown as Row[];
  };
  const inTransaction = async <Result>(
    work: (connection: mysql.PoolConnection) => Promise<Result>,
  ): Promise<Result> => {
    const connection = await pool.getConnection();
    try {
      await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await connection.query('START TRANSACTION');
      const result = await work(connection);
      await connection.query('COMMIT');
      return result;
    } finally {
      connection.release();
    }
  };
  const listed = (statement: ListStatement, rows: readonly Row[], singles: string[]) =>
    [statement.text(rows.length), [...singles, ...rows.map(([id]) => id)]] as const;

  const take = (limit: number): Promise<Row[]> =>
    inTransaction(async (connection) => {
      const values = { lease, candidates: String(limit * 4 + 32), limit: String(limit) };
      const rows = await run(
        connection,
        claim.text,
        claim.values.map((value) => values[value as keyof typeof values]),
      );
      if (rows.length > 0) {
        await run(connection, ...mutable(listed(stamp, rows, [rows[0]?.[1] ?? ''])));
      }
      return rows;
    });
  // A claim that comes late to a row locks it for a moment, so an acknowledgement can find it busy.
  const settle = async (rows: readonly Row[]): Promise<void> => {
    for (let left = rows; left.length > 0;) {
      const asked = left;
      const done = await inTransaction(async (connection) => {
        const owned = await run(connection, ...mutable(listed(own, asked, [lease])));
        if (owned.length > 0) await run(connection, ...mutable(listed(ack, owned, [])));
        return new Set(owned.map(([id]) => id));
      });
      left = asked.filter(([id]) => !done.has(id));
    }
  };
  const loop = async (limit: number, handled: Handled): Promise<void> => {
    for (;;) {
      const rows = await take(limit);
      if (rows.length === 0) return;
      let last = false;
      for (const row of rows) {
        JSON.parse(row[3]);
        last = handled();
      }
      await settle(rows);
      if (last) return;
    }
  };

  return {
    title: `${name} ${String(versions[0]?.['version'])}, mysql2`,
    database: databaseOf(pool),
    async fill(rows) {
      await pool.query('TRUNCATE TABLE reports');
      for (let from = 0; from < rows; from += 1_000) {
        const payloads = Array.from({ length: Math.min(1_000, rows - from) }, (_, n) => [
          JSON.stringify({ report: from + n, pages: 'x'.repeat(80) }),
        ]);
        await pool.query('INSERT INTO reports (payload) VALUES ?', [payloads]);
      }
      await pool.query('ANALYZE TABLE reports');
    },
    async left() {
      const [rows] = await pool.query<mysql.RowDataPacket[]>('SELECT COUNT(*) AS n FROM reports');
      return Number(rows[0]?.['n']);
    },
    async sent() {
      const now = await counted();
      const sent = now - before;
      before = now;
      return sent;
    },
    rowByRow: (handled) => loop(1, handled),
    hundredAtATime: (handled) => loop(100, handled),
    async close() {
      await pool.query('DROP DATABASE inbox_bench');
      await pool.end();
    },
  };
}

function mutable(query: readonly [string, readonly Cell[]]): [string, Cell[]] {
  return [query[0], [...query[1]]];
}
