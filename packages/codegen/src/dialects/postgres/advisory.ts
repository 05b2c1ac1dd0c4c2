import type { AdvisoryQueue } from '../../queue/queue.js';
import { releaseEntries } from '../advisory-entries.js';
import type { Statement, StatementSet } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { countUpSql } from './clauses.js';
import { insertStatement } from './insert.js';
import { keyTextSql, lockedNumber, locksSql, lockSql } from './lock-key.js';
import { ownLockStatements } from './own-lock.js';
import { quote } from './quote.js';
import { statement } from './statement.js';
import { keyJoinSql, keySql, tableSql } from './table-sql.js';
import { ackStatement, releaseStatement } from './taken-row.js';

/** Every statement of an advisory queue on Postgres, in the order in which the module lists them. */
export function advisoryStatements(queue: AdvisoryQueue): StatementSet {
  if (queue.ownLock !== undefined) return ownLockStatements(queue, queue.ownLock);
  return {
    entries: [
      {
        name: 'claim',
        comment:
          'Locks the first free key of the first due rows, and takes its row if it is still due.',
        statement: claimStatement(queue),
      },
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
        comment: 'Frees the key. False: the lock was not ours, and the connection is to be closed.',
        statement: unlockStatement(),
      },
      {
        name: 'insert',
        comment: 'Adds rows: an array a cell, one element a row.',
        statement: insertStatement(queue),
      },
    ],
  };
}

/**
 * Finds candidates, locks one and takes its row, in one statement.
 *
 * - Keys that any session has locked are left out by a hashed NOT IN, so a claim reaches past them.
 * - The candidates stand in a CTE of their own and the lock is tried without an ORDER BY: a plan that
 *   tried it before it sorted or cut would lock more keys than the one that it answers.
 * - The row may have been settled since this statement's snapshot was taken, and its key be free for
 *   that very reason. An UPDATE, like a SELECT that locks, looks at the row as it is now: then none
 *   is taken, and the lock is to be given back.
 */
function claimStatement(queue: AdvisoryQueue): Statement {
  const cells = [
    ...keyCells(queue, 'inbox_taken'),
    ...(queue.attempt === undefined
      ? []
      : [`inbox_taken.${quote(queue.attempt.column.name.text)}::text`]),
    ...dataCells(queue, 'inbox_taken'),
  ];
  return statement(
    (value) => `
WITH inbox_due AS MATERIALIZED (
  SELECT ${keySql(queue)}, inbox_key, ${lockSql('inbox_key')} AS inbox_lock
  FROM (
    SELECT
      ${keySql(queue, 'inbox_job')},
      ${keyTextSql(queue)} AS inbox_key
    FROM ${tableSql(queue)} AS inbox_job
  ) AS inbox_named
  WHERE ${lockSql('inbox_key')} NOT IN (
    ${locksSql(` ${lockedNumber}`, '    ')}
  )
  ORDER BY ${keySql(queue)}
  LIMIT ${value('candidates')}
),
inbox_locked AS MATERIALIZED (
  SELECT *
  FROM inbox_due
  WHERE pg_try_advisory_lock(inbox_lock)
  LIMIT 1
),
inbox_taken AS ${takenSql(queue)}
SELECT
  (SELECT count(*) FROM inbox_due)::text AS inbox_candidates,
  inbox_locked.inbox_lock::text,
  inbox_locked.inbox_key,
  ${cells.join(',\n  ')}
FROM (VALUES (1)) AS inbox_answer
LEFT JOIN inbox_locked ON TRUE
LEFT JOIN inbox_taken ON TRUE`,
  );
}

/** The row of the locked key, counted; without a count it is locked for the statement's while. */
function takenSql(queue: AdvisoryQueue): string {
  const columns = [...new Set([...queue.key, ...queue.rowColumns])]
    .map(({ name }) => `inbox_job.${quote(name.text)}`)
    .join(', ');
  return queue.attempt === undefined
    ? `MATERIALIZED (
  SELECT ${columns}
  FROM inbox_locked
  JOIN ${tableSql(queue)} AS inbox_job ON ${keyJoinSql(queue, 'inbox_job', 'inbox_locked')}
  FOR NO KEY UPDATE OF inbox_job
)`
    : `(
  UPDATE ${tableSql(queue)} AS inbox_job
  SET ${countUpSql(queue).join(', ')}
  FROM inbox_locked
  WHERE ${keyJoinSql(queue, 'inbox_job', 'inbox_locked')}
  RETURNING ${columns}
)`;
}

/** Whether the session that runs the statement holds `lock`. */
function holdsLockSql(value: (name: string) => string): string {
  return `EXISTS (
    ${locksSql('', '    ')}
      AND inbox_locks.pid = pg_backend_pid()
      AND inbox_locks.mode = 'ExclusiveLock'
      AND inbox_locks.granted
      AND (${lockedNumber}) = ${value('lock')}::bigint
  )`;
}

function unlockStatement(): Statement {
  return statement(
    (value) => `
SELECT pg_advisory_unlock(${value('lock')}::bigint)::text`,
  );
}
