import type { RowLockQueue } from '../../queue/queue.js';
import type { Statement, StatementSet } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { countedUpSql, countUpSql } from './clauses.js';
import { insertStatement } from './insert.js';
import { statement } from './statement.js';
import { keyIsSql, keySql, tableSql, whereSql } from './table-sql.js';

/** Every statement of a row-lock queue on Postgres, in the order in which the module lists them. */
export function rowLockStatements(queue: RowLockQueue): StatementSet {
  return {
    entries: [
      {
        name: 'due',
        comment: 'Is anything due, locked or not? An idle poll asks before it opens a transaction.',
        statement: dueStatement(queue),
      },
      {
        name: 'claim',
        comment:
          'Locks the first due row that nobody else holds, in a transaction that stays open.',
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
        comment: 'Adds rows: an array a cell, one element a row.',
        statement: insertStatement(queue),
      },
    ],
  };
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
    () => `
SELECT 1
FROM ${tableSql(queue)} AS inbox_job
LIMIT 1`,
  );
}

/**
 * Locks one row and reads it. FOR NO KEY UPDATE, so that the handler can insert a foreign-key child
 * of the row on a connection of its own: FOR UPDATE would have it wait for itself. Locking comes
 * after sorting and before the limit, so the row that it returns is the row that it locks; as a
 * subquery that would not be sure. The order is the columns', not that of their text in the answer.
 */
function claimStatement(queue: RowLockQueue): Statement {
  const cells = [
    ...keyCells(queue, 'inbox_job'),
    ...countedUpSql(queue).map((counted) => `(${counted})::text AS inbox_attempt`),
    ...dataCells(queue, 'inbox_job'),
  ];
  return statement(
    () => `
SELECT
  ${cells.join(',\n  ')}
FROM ${tableSql(queue)} AS inbox_job
ORDER BY ${keySql(queue, 'inbox_job')}
LIMIT 1
FOR NO KEY UPDATE OF inbox_job SKIP LOCKED`,
  );
}

function ackStatement(queue: RowLockQueue): Statement {
  return statement(
    (value) => `
DELETE FROM ${tableSql(queue)} AS inbox_job${whereSql(keyIsSql(queue, value))}`,
  );
}

/** The row was not written at its claim: a ROLLBACK alone would forget the delivery. */
function retryStatement(queue: RowLockQueue): Statement {
  return statement(
    (value) => `
UPDATE ${tableSql(queue)} AS inbox_job
SET ${countUpSql(queue).join(', ')}${whereSql(keyIsSql(queue, value))}`,
  );
}
