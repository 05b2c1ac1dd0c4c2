import Database from 'better-sqlite3';
import type { InboxDatabase } from 'inbox-runtime';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { mariadb, mysql } from 'inbox-runtime/mysql2';
import { postgres } from 'inbox-runtime/pg';
import { createPool } from 'mysql2/promise';
import pg from 'pg';

import type { Databases } from '../databases/bench.js';

/** A connection, and the end of it. */
interface Connection {
  readonly database: InboxDatabase<Databases>;
  close(): Promise<void>;
}

/** Connects a process to the tables that a stand's `environment` names, over a pool of so many. */
export function connectProcess(connections = 4): Connection {
  const kind = variable('INBOX_DATABASE');
  if (kind === 'sqlite') {
    const handle = new Database(variable('INBOX_FILE'));
    const database = sqlite(handle);
    return {
      database,
      close: async () => {
        await database.close();
        handle.close();
      },
    };
  }
  if (kind === 'mysql' || kind === 'mariadb') {
    const pool = createPool({
      uri: variable(kind === 'mysql' ? 'MYSQL_URL' : 'MARIADB_URL'),
      database: variable('INBOX_SCHEMA'),
      connectionLimit: connections,
    });
    const database = kind === 'mysql' ? mysql(pool) : mariadb(pool);
    return {
      database,
      close: async () => {
        await database.close();
        await pool.end();
      },
    };
  }
  const pool = new pg.Pool({
    connectionString: variable('POSTGRES_URL'),
    options: `-c search_path=${variable('INBOX_SCHEMA')}`,
    application_name: variable('INBOX_SCHEMA'),
    max: connections,
  });
  const database = postgres(pool);
  return {
    database,
    close: async () => {
      await database.close();
      await pool.end();
    },
  };
}

/** A variable that the starter of this process must have set. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set`);
  }
  return value;
}
