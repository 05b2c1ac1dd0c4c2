import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';

import type { Bench, Oddity, Session, ShownRow, Stand, Transaction } from './bench.js';
import { fixtureSchema } from './fixtures.js';

/** What a test may ask of SQLite beside what every database can do. */
export interface SqliteStand extends Stand {
  /** A handle on the test's file, in the journal mode that it was created with. */
  handle(): Database.Database;
  /** The database file. */
  readonly file: string;
}

const oddities: readonly Oddity[] = [
  {
    title: 'safe integers on',
    connect: (stand) => {
      const handle = (stand as SqliteStand).handle();
      handle.defaultSafeIntegers(true);
      return sqlite(handle);
    },
  },
  {
    title: 'safe integers off',
    connect: (stand) => {
      const handle = (stand as SqliteStand).handle();
      handle.defaultSafeIntegers(false);
      return sqlite(handle);
    },
  },
  {
    title: 'a busy timeout of a minute',
    connect: (stand) => {
      const handle = (stand as SqliteStand).handle();
      handle.pragma('busy_timeout = 60000');
      return sqlite(handle);
    },
  },
  {
    title: 'recursive triggers and foreign keys on',
    connect: (stand) => {
      const handle = (stand as SqliteStand).handle();
      handle.pragma('recursive_triggers = ON');
      handle.pragma('foreign_keys = ON');
      return sqlite(handle);
    },
  },
];

/** SQLite: every stand is a file of its own, in write-ahead mode. */
export const sqliteBench: Bench & { open(): Promise<SqliteStand> } = {
  name: 'sqlite',
  open: () => Promise.resolve(open()),
  now: "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)",
  json: (text) => `'${text.replaceAll("'", "''")}'`,
  plainPayload: () => '',
  fenceUnits: 1n,
  oddities,
};

function open(): SqliteStand {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-sqlite-'));
  const file = path.join(folder, 'queue.db');
  const closing: (() => unknown)[] = [];

  const handle = (): Database.Database => {
    const made = new Database(file);
    closing.push(() => made.close());
    return made;
  };

  const own = handle();
  own.pragma('journal_mode = WAL');
  own.exec(fixtureSchema('sqlite'));

  return {
    file,
    handle,
    connect: () => {
      const database = sqlite(handle());
      closing.push(() => database.close());
      return database;
    },
    run: (sql) => {
      own.exec(sql);
      return Promise.resolve();
    },
    rows: (sql) => Promise.resolve(show(own, sql)),
    session: (): Promise<Session> => {
      const made = handle();
      return Promise.resolve({
        run: (sql) => {
          made.exec(sql);
          return Promise.resolve();
        },
        close: () => {
          made.close();
          return Promise.resolve();
        },
      });
    },
    begin: (): Promise<Transaction> => {
      const made = handle();
      made.exec('BEGIN IMMEDIATE');
      return Promise.resolve({
        tx: made,
        commit: () => {
          made.exec('COMMIT');
          return Promise.resolve();
        },
        rollback: () => {
          made.exec('ROLLBACK');
          return Promise.resolve();
        },
      });
    },
    held: () => {
      const probe = new Database(file, { timeout: 0 });
      try {
        probe.exec('BEGIN IMMEDIATE; ROLLBACK');
        return Promise.resolve([]);
      } catch (error) {
        return Promise.resolve([`the write lock: ${String(error)}`]);
      } finally {
        probe.close();
      }
    },
    environment: { INBOX_DATABASE: 'sqlite', INBOX_FILE: file },
    close: async () => {
      for (const end of closing.reverse()) {
        await end();
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** Every value as text; integers whole, whatever their size. */
function show(handle: Database.Database, sql: string): readonly ShownRow[] {
  const rows = handle.prepare(sql).safeIntegers(true).all() as readonly Record<string, unknown>[];
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value === null ? null : text(value)]),
    ),
  );
}

function text(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}
