import type { AdvisoryQueue } from '../../queue/queue.js';
import { releaseEntries } from '../advisory-entries.js';
import type { Statement, StatementSet } from '../statements.js';
import { keyCells } from './cells.js';
import { insertStatement } from './insert.js';
import { givenLockSql, keyTextSql, lockNameSql, lockSql } from './lock-key.js';
import { ownLockStatements } from './own-lock.js';
import type { Server } from './server.js';
import { statement, type Value } from './statement.js';
import { keySql, tableSql } from './table-sql.js';
import { ackStatement, releaseStatement, takeEntries } from './taken-row.js';
import { inUtc } from './utc.js';

/** Every statement of an advisory queue on MySQL or MariaDB, in the order in which the module lists them. */
export function advisoryStatements(queue: AdvisoryQueue, server: Server): StatementSet {
  if (queue.ownLock !== undefined) return ownLockStatements(queue, queue.ownLock, server);
  return inUtc(queue, server, [
    {
      name: 'due',
      comment:
        'Are at least so many rows due whose lock is free? A claim that locked none of them asks.',
      statement: dueStatement(queue),
    },
    {
      name: 'claim',
      comment: 'Locks the first of the first due rows that it can.',
      statement: claimStatement(queue),
    },
    ...takeEntries(queue),
    {
      name: 'ack',
      comment: 'Done: the row goes, if the lock is still ours. `unlock` follows.',
      statement: ackStatement(queue, [holdsLockSql]),
    },
    ...releaseEntries(
      queue,
      'Undecided: takes the delivery back from the count, if the lock is still ours.',
      () => releaseStatement(queue, [holdsLockSql]),
    ),
    {
      name: 'unlock',
      comment: 'Frees the key. Not 1: the lock was not ours, and the connection is to be closed.',
      statement: unlockStatement(),
    },
    {
      name: 'insert',
      comment: 'Adds rows, a group of values each.',
      statement: insertStatement(queue, server),
    },
  ]);
}

function dueStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
SELECT 1
FROM (
  SELECT 1
  FROM (
    SELECT ${lockNameSql(queue)} AS inbox_name
    FROM ${tableSql(queue)} AS inbox_job
  ) AS inbox_named
  WHERE IS_FREE_LOCK(${lockSql('inbox_name')}) = 1
  LIMIT ${value('candidates')}
) AS inbox_due
HAVING COUNT(*) >= CAST(${value('candidates')} AS SIGNED)`,
  );
}

/**
 * Locks one key. The candidates stand in a derived table, whose limit no condition passes: in the
 * WHERE of a SELECT that sorts, GET_LOCK would lock the key of every row. The table inside it only
 * gives names to what the condition says; servers merge it. The row may have been settled since it
 * was read, and its key be free for that very reason: `take` looks again.
 */
function claimStatement(queue: AdvisoryQueue): Statement {
  const cells = ['inbox_due.inbox_lock', 'inbox_due.inbox_key', ...keyCells(queue, 'inbox_due')];
  return statement(
    (value) => `
SELECT
  ${cells.join(',\n  ')}
FROM (
  SELECT ${keySql(queue)}, inbox_key, ${lockSql('inbox_name')} AS inbox_lock
  FROM (
    SELECT
      ${keySql(queue, 'inbox_job')},
      ${keyTextSql(queue)} AS inbox_key,
      ${lockNameSql(queue)} AS inbox_name
    FROM ${tableSql(queue)} AS inbox_job
  ) AS inbox_named
  WHERE IS_FREE_LOCK(${lockSql('inbox_name')}) = 1
  ORDER BY ${keySql(queue)}
  LIMIT ${value('candidates')}
) AS inbox_due
WHERE GET_LOCK(inbox_due.inbox_lock, 0) = 1
LIMIT 1`,
  );
}

/** Whether the session that runs the statement holds `lock`. */
function holdsLockSql(value: Value): string {
  return `IS_USED_LOCK(${givenLockSql(value)}) = CONNECTION_ID()`;
}

function unlockStatement(): Statement {
  return statement(
    (value) => `
SELECT CAST(RELEASE_LOCK(${givenLockSql(value)}) AS CHAR)`,
  );
}
