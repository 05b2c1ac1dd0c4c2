import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import type { InboxDatabase } from 'inbox-runtime';
import { payloadOf } from '../../bench.js';

/** SQLite on a file in a temporary folder, WAL, `synchronous=FULL`, with the tables in it. */
export interface SqliteFile {
  readonly title: string;
  readonly handle: Database.Database;
  readonly database: InboxDatabase<'sqlite'>;
  fill(table: string, rows: number): Promise<void>;
  left(table: string): Promise<number>;
  sent(): number;
  close(): Promise<void>;
}

/** Makes the file and its tables. */
export function openFile(): SqliteFile {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-bench-'));
  const handle = new Database(path.join(folder, 'bench.db'));
  handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  handle.exec(`
    CREATE TABLE reports (
      id INTEGER PRIMARY KEY AUTOINCREMENT, attempt INTEGER NOT NULL DEFAULT 1,
      locked_until INTEGER, payload JSON NOT NULL
    );
    CREATE TABLE keyed_reports (
      id INTEGER PRIMARY KEY AUTOINCREMENT, attempt INTEGER NOT NULL DEFAULT 1,
      payload JSON NOT NULL
    )`);
  const database = sqlite(handle);
  return {
    title: `SQLite ${String(handle.prepare('SELECT sqlite_version()').pluck().get())}, better-sqlite3`,
    handle,
    database,
    fill(table, rows) {
      handle.exec(`DELETE FROM ${table}`);
      const add = handle.prepare(`INSERT INTO ${table} (payload) VALUES (?)`);
      handle.transaction(() => {
        for (let n = 1; n <= rows; n += 1) add.run(JSON.stringify(payloadOf(n)));
      })();
      return Promise.resolve();
    },
    left: (table) =>
      Promise.resolve(Number(handle.prepare(`SELECT count(*) FROM ${table}`).pluck().get())),
    sent: () => 0,
    async close() {
      await database.close();
      handle.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
