import Database from 'better-sqlite3';

import { variable } from './connect-process.js';

// Holds the write lock of an SQLite file, as another process that writes does, until its input ends.

const handle = new Database(variable('INBOX_FILE'));
handle.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.resume();
process.stdin.once('end', () => {
  handle.exec('COMMIT');
  handle.close();
});
