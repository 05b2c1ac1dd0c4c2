import type {
  MysqlAdvisoryStatements,
  MysqlRowLockStatements,
  OwnLockStatements,
} from '../../../src/spec.js';
import { list, type InsertStatement } from '../../../src/statement.js';

/** The tables of the driver's tests: with a count, and without. */
export const tables = `
CREATE TABLE counted (
  id      BIGINT AUTO_INCREMENT PRIMARY KEY,
  attempt TINYINT NOT NULL DEFAULT 1,
  payload VARCHAR(100) NOT NULL
);
CREATE TABLE bare (
  id      BIGINT AUTO_INCREMENT PRIMARY KEY,
  payload VARCHAR(100) NOT NULL
);
CREATE TABLE notes (
  id BIGINT PRIMARY KEY,
  counted_id BIGINT NOT NULL,
  FOREIGN KEY (counted_id) REFERENCES counted (id) ON DELETE CASCADE
);
CREATE TABLE refusals (
  bare_id BIGINT PRIMARY KEY,
  FOREIGN KEY (bare_id) REFERENCES bare (id)
);`;

type Table = 'counted' | 'bare';

const attempt = (table: Table, sql: string): string => (table === 'counted' ? `${sql},\n  ` : '');
const countUp = 'LEAST(attempt, 126) + 1';

function insertStatement(table: Table): InsertStatement {
  return {
    values: [],
    each: ['column1'],
    key: ['generated'],
    text: (rows) => `
INSERT INTO ${table} (payload)
VALUES
  ${list('(?)', ',\n  ', rows)}`,
  };
}

/** The statements of a table in row-lock form, as they would be generated. */
export function rowLockStatements(table: Table): MysqlRowLockStatements {
  const statements: MysqlRowLockStatements = {
    due: { values: ['candidates'], text: `\nSELECT 1\nFROM ${table}\nLIMIT 1 OFFSET ?` },
    claim: {
      values: ['candidates'],
      text: `
SELECT
  CAST(inbox_job.id AS CHAR),
  ${attempt(table, 'CAST(LEAST(inbox_job.attempt, 126) + 1 AS CHAR)')}inbox_job.payload
FROM (
  SELECT id
  FROM ${table}
  ORDER BY id
  LIMIT ?
) AS inbox_due
STRAIGHT_JOIN ${table} AS inbox_job FORCE INDEX (PRIMARY)
  ON inbox_job.id = inbox_due.id
LIMIT 1
FOR UPDATE SKIP LOCKED`,
    },
    ack: { values: ['key1'], text: `\nDELETE FROM ${table}\nWHERE id = ?` },
    insert: insertStatement(table),
  };
  if (table === 'bare') return statements;
  return {
    ...statements,
    retry: {
      values: ['key1'],
      text: `\nUPDATE ${table}\nSET attempt = ${countUp}\nWHERE id = ?`,
    },
  };
}

type Taking = Pick<OwnLockStatements, 'count' | 'take' | 'ack' | 'release'>;

function takingStatements(table: Table, condition: string, values: readonly ['lock'] | []): Taking {
  const take = {
    values: ['key1'],
    text: `
SELECT
  CAST(id AS CHAR),
  ${attempt(table, 'CAST(attempt AS CHAR)')}payload
FROM ${table}
WHERE id = ?${table === 'bare' ? '\nFOR UPDATE' : ''}`,
  } as const;
  if (table === 'bare') {
    return {
      take,
      ack: {
        values: ['key1', ...values],
        text: `\nDELETE FROM ${table}\nWHERE id = ?${condition}`,
      },
    };
  }
  return {
    count: {
      values: ['key1'],
      text: `\nUPDATE ${table}\nSET attempt = ${countUp}\nWHERE id = ?`,
    },
    take,
    ack: {
      values: ['key1', 'attempt', ...values],
      text: `\nDELETE FROM ${table}\nWHERE id = ?\n  AND attempt = ?${condition}`,
    },
    release: {
      values: ['key1', 'attempt', ...values],
      text: `\nUPDATE ${table}\nSET attempt = attempt - 1\nWHERE id = ?\n  AND attempt = ?${condition}`,
    },
  };
}

/** The statements of a table in advisory form with the key `job-<id>`. */
export function advisoryStatements(table: Table, schema: string): MysqlAdvisoryStatements {
  const key = `CONCAT('job-', ${table}.id)`;
  const lock = `CONCAT('${schema}.', ${key})`;
  return {
    due: {
      values: ['candidates', 'candidates'],
      text: `
SELECT 1
FROM (
  SELECT 1
  FROM ${table}
  WHERE IS_FREE_LOCK(${lock}) = 1
  LIMIT ?
) AS inbox_due
HAVING COUNT(*) >= CAST(? AS SIGNED)`,
    },
    claim: {
      values: ['candidates'],
      text: `
SELECT inbox_due.inbox_lock, inbox_due.inbox_key, CAST(inbox_due.id AS CHAR)
FROM (
  SELECT id, ${key} AS inbox_key, ${lock} AS inbox_lock
  FROM ${table}
  WHERE IS_FREE_LOCK(${lock}) = 1
  ORDER BY id
  LIMIT ?
) AS inbox_due
WHERE GET_LOCK(inbox_due.inbox_lock, 0) = 1
LIMIT 1`,
    },
    ...takingStatements(table, '\n  AND IS_USED_LOCK(?) = CONNECTION_ID()', ['lock']),
    unlock: { values: ['lock'], text: '\nSELECT CAST(RELEASE_LOCK(?) AS CHAR)' },
    insert: insertStatement(table),
  };
}

/** The statements of a table with a lock of its author's own; in SQL, or as functions. */
export function ownLockStatements(table: Table, schema: string, inSql: boolean): OwnLockStatements {
  const statements: OwnLockStatements = {
    candidates: {
      values: ['candidates'],
      text: `
SELECT CONCAT('job-', id), CAST(id AS CHAR)
FROM ${table}
ORDER BY id
LIMIT ?`,
    },
    ...takingStatements(table, '', []),
    insert: insertStatement(table),
  };
  if (!inSql) return statements;
  const fragment = (call: string): string => `\nSELECT CAST((${call}) AS CHAR)`;
  return {
    ...statements,
    lock: { values: ['lock'], text: fragment(`GET_LOCK(CONCAT('${schema}.', ?), 0)`) },
    unlock: { values: ['lock'], text: fragment(`RELEASE_LOCK(CONCAT('${schema}.', ?))`) },
  };
}
