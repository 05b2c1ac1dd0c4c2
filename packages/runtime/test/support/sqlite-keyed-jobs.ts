import type { AdvisoryTable } from '../../src/drivers/tables.js';
import type { OwnLockStatements, SqliteAdvisoryStatements, Statement } from '../../src/v1.js';

/** A table in advisory form: its key is the account's. */
export const keyedTableSql = `
CREATE TABLE keyed_jobs (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  attempt    INTEGER NOT NULL DEFAULT 1,
  payload    TEXT    NOT NULL
);`;

/** The same without a count. */
export const bareTableSql = `
CREATE TABLE bare_jobs (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  payload    TEXT NOT NULL
);`;

const key = "CAST('jobs-' || account_id AS TEXT)";

function candidates(table: string, past: string, values: Statement['values']): Statement {
  return {
    text: `SELECT ${key} AS inbox_key, id FROM ${table} ${past} ORDER BY id LIMIT ?`,
    values,
  };
}

const pastKeys = `WHERE ${key} NOT IN (SELECT value FROM json_each(?))`;

const counted = {
  take: {
    text: 'UPDATE keyed_jobs SET attempt = attempt + 1 WHERE id = ? RETURNING id, attempt, account_id, payload',
    values: ['key1'],
  },
  ack: {
    text: 'DELETE FROM keyed_jobs WHERE id = ? AND attempt = ?',
    values: ['key1', 'attempt'],
  },
  release: {
    text: 'UPDATE keyed_jobs SET attempt = attempt - 1 WHERE id = ? AND attempt = ?',
    values: ['key1', 'attempt'],
  },
  insert: {
    text: 'INSERT INTO keyed_jobs (account_id, payload) VALUES (?, ?) RETURNING id',
    values: ['column1', 'column2'],
  },
} as const satisfies Partial<SqliteAdvisoryStatements>;

const uncounted = {
  take: { text: 'SELECT id, account_id, payload FROM bare_jobs WHERE id = ?', values: ['key1'] },
  ack: { text: 'DELETE FROM bare_jobs WHERE id = ?', values: ['key1'] },
  insert: {
    text: 'INSERT INTO bare_jobs (account_id, payload) VALUES (?, ?) RETURNING id',
    values: ['column1', 'column2'],
  },
} as const satisfies Partial<SqliteAdvisoryStatements>;

function tableOf(
  name: 'keyed_jobs' | 'bare_jobs',
  statements: SqliteAdvisoryStatements | OwnLockStatements,
): AdvisoryTable<'sqlite'> {
  return {
    queue: 'KeyedJob',
    table: name,
    keyWidth: 1,
    counted: name === 'keyed_jobs',
    hostClock: false,
    statements: { sqlite: statements },
  };
}

/** The counted table, with keys that the process keeps. */
export const keyedTable = tableOf('keyed_jobs', {
  candidates: candidates('keyed_jobs', pastKeys, ['inWork', 'candidates']),
  ...counted,
});

/** The table without a count, with keys that the process keeps. */
export const bareTable = tableOf('bare_jobs', {
  candidates: candidates('bare_jobs', pastKeys, ['inWork', 'candidates']),
  ...uncounted,
});

/** The counted table with a lock of its author's own, in functions. */
export const ownTable = tableOf('keyed_jobs', {
  candidates: candidates('keyed_jobs', '', ['candidates']),
  ...counted,
});

/** The table without a count, with a lock of its author's own in SQL. */
export const ownSqlTable = tableOf('bare_jobs', {
  candidates: candidates('bare_jobs', '', ['candidates']),
  ...uncounted,
  lock: { text: 'SELECT (try_lock(?))', values: ['lock'] },
  unlock: { text: 'SELECT (give_back(?))', values: ['lock'] },
});
