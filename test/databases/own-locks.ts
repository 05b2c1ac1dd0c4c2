import type { OwnLock } from 'inbox-runtime/v1';
import type { PoolConnection, RowDataPacket } from 'mysql2/promise';
import type pg from 'pg';

import type { Databases } from './bench.js';

/** The same lock as two functions take it on each database. The first cell is what they did. */
const mysqlFunctions = {
  async lock(connection: PoolConnection, key: string): Promise<boolean> {
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT GET_LOCK(CONCAT(DATABASE(), '.', ?), 0) AS done",
      [key],
    );
    return rows[0]?.['done'] === 1;
  },
  async unlock(connection: PoolConnection, key: string): Promise<boolean> {
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT RELEASE_LOCK(CONCAT(DATABASE(), '.', ?)) AS done",
      [key],
    );
    return rows[0]?.['done'] === 1;
  },
};

const postgresFunctions = {
  async lock(client: pg.PoolClient, key: string): Promise<boolean> {
    const { rows } = await client.query<{ readonly done: boolean }>(
      'SELECT pg_try_advisory_lock(hashtext($1)) AS done',
      [key],
    );
    return rows[0]?.done === true;
  },
  async unlock(client: pg.PoolClient, key: string): Promise<boolean> {
    const { rows } = await client.query<{ readonly done: boolean }>(
      'SELECT pg_advisory_unlock(hashtext($1)) AS done',
      [key],
    );
    return rows[0]?.done === true;
  },
};

/** SQLite has no locks of its own: the process keeps the keys, whatever the file. */
const inWork = new Set<string>();

const sqliteFunctions = {
  lock(_: unknown, key: string): Promise<boolean> {
    const free = !inWork.has(key);
    inWork.add(key);
    return Promise.resolve(free);
  },
  unlock: (_: unknown, key: string): Promise<boolean> => Promise.resolve(inWork.delete(key)),
};

/** Lock functions for the custom table of the suite, by database. */
export const ownLocks: Readonly<Record<Databases, OwnLock>> = {
  postgres: postgresFunctions,
  mysql: mysqlFunctions,
  mariadb: mysqlFunctions,
  sqlite: sqliteFunctions,
};
