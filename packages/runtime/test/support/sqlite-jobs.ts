import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';

import { sqliteTable } from './jobs.js';

/** A file of a test's own with the table in it. */
export interface SqliteJobs {
  readonly file: string;
  /** Another handle on the file. */
  handle(options?: Database.Options): Database.Database;
}

/** Makes a file that is gone when the test has ended. */
export function sqliteJobs(journalMode: 'WAL' | 'DELETE' = 'WAL'): SqliteJobs {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-runtime-'));
  const file = path.join(folder, 'jobs.db');
  const handles: Database.Database[] = [];
  onTestFinished(() => {
    for (const handle of handles) handle.close();
    rmSync(folder, { recursive: true });
  });
  const jobs: SqliteJobs = {
    file,
    handle(options) {
      const handle = new Database(file, options);
      handles.push(handle);
      return handle;
    },
  };
  const first = jobs.handle();
  first.pragma(`journal_mode = ${journalMode}`);
  first.exec(sqliteTable);
  return jobs;
}
