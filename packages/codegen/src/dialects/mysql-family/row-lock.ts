import type { RowLockQueue } from '../../queue/queue.js';
import type { Statement, StatementSet } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { countedUpSql, countUpSql } from './clauses.js';
import { insertStatement } from './insert.js';
import type { Server } from './server.js';
import { statement } from './statement.js';
import { jobSql, keyIsSql, keyJoinSql, keySql, tableSql, whereSql } from './table-sql.js';
import { inUtc } from './utc.js';

/** Every statement of a row-lock queue on MySQL or MariaDB, in the order in which the module lists them. */
export function rowLockStatements(queue: RowLockQueue, server: Server): StatementSet {
  return inUtc(queue, server, [
    {
      name: 'due',
      comment:
        'Are more rows due than so many, locked or not? A claim that found none asks, and an idle poll.',
      statement: dueStatement(queue),
    },
    {
      name: 'claim',
      comment:
        'Reads candidates without locks, then locks the first that is free. The transaction stays open.',
      statement: claimStatement(queue),
    },
    {
      name: 'ack',
      comment: 'Done: the row goes. COMMIT follows.',
      statement: ackStatement(queue),
    },
    ...retryEntries(queue),
    {
      name: 'insert',
      comment: 'Adds rows, a group of values each.',
      statement: insertStatement(queue, server),
    },
  ]);
}

/** Without a count, ROLLBACK is all that a retry needs. */
function retryEntries(queue: RowLockQueue): StatementSet['entries'] {
  if (queue.attempt === undefined) return [];
  return [
    {
      name: 'retry',
      comment: 'Not done: counts the delivery. COMMIT follows.',
      statement: retryStatement(queue),
    },
  ];
}

function dueStatement(queue: RowLockQueue): Statement {
  return statement(
    (value) => `
SELECT 1
FROM ${tableSql(queue)} AS inbox_job
LIMIT 1 OFFSET ${value('candidates')}`,
  );
}

/**
 * Locks one row and reads it. As in a claim of the lease form, the candidates are read without locks
 * and the table is joined to them by its key: InnoDB locks every row that a locking read looks at.
 */
function claimStatement(queue: RowLockQueue): Statement {
  const cells = [
    ...keyCells(queue, 'inbox_job'),
    ...countedUpSql(queue).map((counted) => `CAST(${counted} AS CHAR) AS inbox_attempt`),
    ...dataCells(queue, 'inbox_job'),
  ];
  return statement(
    (value) => `
SELECT
  ${cells.join(',\n  ')}
FROM (
  SELECT ${keySql(queue)}
  FROM ${tableSql(queue)}
  ORDER BY ${keySql(queue)}
  LIMIT ${value('candidates')}
) AS inbox_due
STRAIGHT_JOIN ${jobSql(queue)}
  ON ${keyJoinSql(queue, 'inbox_job', 'inbox_due')}
LIMIT 1
FOR UPDATE SKIP LOCKED`,
  );
}

/** With a table list, since only that takes the hint which keeps it from any other row. */
function ackStatement(queue: RowLockQueue): Statement {
  return statement(
    (value) => `
DELETE inbox_job
FROM ${jobSql(queue)}${whereSql(keyIsSql(queue, value))}`,
  );
}

/** The row was not written at its claim: a ROLLBACK alone would forget the delivery. */
function retryStatement(queue: RowLockQueue): Statement {
  return statement(
    (value) => `
UPDATE ${jobSql(queue)}
SET ${countUpSql(queue).join(', ')}${whereSql(keyIsSql(queue, value))}`,
  );
}
