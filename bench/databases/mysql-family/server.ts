import mysql from 'mysql2/promise';
import { mariadb, mysql as mysqlDatabase } from 'inbox-runtime/mysql2';
import type { InboxDatabase } from 'inbox-runtime';
import type { Cell } from 'inbox-runtime/v1';
import { payloadOf } from '../../bench.js';

/** A row as text. */
export type Row = readonly (string | null)[];

/** MySQL or MariaDB, with the tables in a database of their own. */
export interface MysqlServer<Name extends 'mysql' | 'mariadb' = 'mysql' | 'mariadb'> {
  readonly title: string;
  readonly pool: mysql.Pool;
  readonly database: InboxDatabase<Name>;
  fill(table: string, rows: number): Promise<void>;
  left(table: string): Promise<number>;
  sent(): Promise<number>;
  close(): Promise<void>;
}

/** MySQL at `MYSQL_URL`. */
export function openMysqlServer(): Promise<MysqlServer<'mysql'>> {
  return open('MYSQL_URL', 'MySQL', mysqlDatabase);
}

/** MariaDB at `MARIADB_URL`. */
export function openMariadbServer(): Promise<MysqlServer<'mariadb'>> {
  return open('MARIADB_URL', 'MariaDB', mariadb);
}

async function open<Name extends 'mysql' | 'mariadb'>(
  variable: string,
  name: string,
  databaseOf: (pool: mysql.Pool) => InboxDatabase<Name>,
): Promise<MysqlServer<Name>> {
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
  for (const table of ['locked_reports', 'keyed_reports']) {
    await pool.query(`
      CREATE TABLE ${table} (
        id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, attempt INT NOT NULL DEFAULT 1,
        payload JSON NOT NULL
      ) ENGINE = InnoDB`);
  }
  const database = databaseOf(pool);

  const counted = async (): Promise<number> => {
    const [rows] = await pool.query<mysql.RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Questions'");
    return Number(rows[0]?.['Value']);
  };
  let before = 0;

  return {
    title: `${name} ${String(versions[0]?.['version'])}, mysql2`,
    pool,
    database,
    async fill(table, rows) {
      await pool.query(`TRUNCATE TABLE ${table}`);
      for (let from = 0; from < rows; from += 1_000) {
        const payloads = Array.from({ length: Math.min(1_000, rows - from) }, (_, n) => [
          JSON.stringify(payloadOf(from + n)),
        ]);
        await pool.query(`INSERT INTO ${table} (payload) VALUES ?`, [payloads]);
      }
      await pool.query(`ANALYZE TABLE ${table}`);
    },
    async left(table) {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(`SELECT COUNT(*) AS n FROM ${table}`);
      return Number(rows[0]?.['n']);
    },
    async sent() {
      const now = await counted();
      const sent = now - before;
      before = now;
      return sent;
    },
    async close() {
      await database.close();
      await pool.query('DROP DATABASE inbox_bench');
      await pool.end();
    },
  };
}

/** Executes a prepared statement on a connection; its rows. */
export async function run(
  connection: mysql.PoolConnection,
  sql: string,
  values: readonly Cell[] = [],
): Promise<Row[]> {
  const [rows] = await connection.execute({ sql, rowsAsArray: true }, [...values]);
  return rows as unknown as Row[];
}

/** The same of a statement that writes; how many rows it found. */
export async function write(
  connection: mysql.PoolConnection,
  sql: string,
  values: readonly Cell[],
): Promise<number> {
  const [answer] = await connection.execute<mysql.ResultSetHeader>(sql, [...values]);
  return answer.affectedRows;
}

/** Begins a transaction as ours do. */
export async function begin(connection: mysql.PoolConnection): Promise<void> {
  await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.query('START TRANSACTION');
}

/** Runs a loop on one connection of the pool. */
export async function onOneConnection(
  pool: mysql.Pool,
  loop: (connection: mysql.PoolConnection) => Promise<void>,
): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await loop(connection);
  } finally {
    connection.release();
  }
}
