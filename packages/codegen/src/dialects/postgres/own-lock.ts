import type { AdvisoryQueue, LockFragment, OwnLock } from '../../queue/queue.js';
import { lockEntries, releaseEntries } from '../advisory-entries.js';
import type { Statement, StatementSet } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { countUpSql } from './clauses.js';
import { insertStatement } from './insert.js';
import { keyTextSql } from './lock-key.js';
import { quote } from './quote.js';
import { statement } from './statement.js';
import { keyIsSql, keySql, tableSql, whereSql } from './table-sql.js';
import { ackStatement, releaseStatement } from './taken-row.js';

/** Every statement of an advisory queue whose lock is its author's own. */
export function ownLockStatements(queue: AdvisoryQueue, ownLock: OwnLock): StatementSet {
  return {
    entries: [
      {
        name: 'candidates',
        comment: 'Reads the lock keys of the first due rows, locked or not.',
        statement: candidatesStatement(queue),
      },
      ...lockEntries(ownLock, 'true', fragmentStatement),
      {
        name: 'take',
        comment: 'Takes the row of a locked key if it is still due.',
        statement: takeStatement(queue),
      },
      {
        name: 'ack',
        comment: 'Done: the row goes. The unlock follows.',
        statement: ackStatement(queue, []),
      },
      ...releaseEntries(
        queue,
        'Undecided: takes the delivery back from the count. The unlock follows.',
        () => releaseStatement(queue, []),
      ),
      {
        name: 'insert',
        comment: 'Adds rows: an array a cell, one element a row.',
        statement: insertStatement(queue),
      },
    ],
  };
}

/** Every `:key` is a value of its own, so that each may have the type that its place asks for. */
function fragmentStatement(fragment: LockFragment): Statement {
  const text = fragment.reduce((before, after, index) => `${before}$${index}${after}`);
  return {
    text: `\nSELECT (${text})::text`,
    values: fragment.slice(1).map(() => 'lock'),
  };
}

function candidatesStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
SELECT
  ${[`${keyTextSql(queue)} AS inbox_key`, ...keyCells(queue, 'inbox_job')].join(',\n  ')}
FROM ${tableSql(queue)} AS inbox_job
ORDER BY ${keySql(queue, 'inbox_job')}
LIMIT ${value('candidates')}`,
  );
}

function takeStatement(queue: AdvisoryQueue): Statement {
  const { attempt } = queue;
  if (attempt === undefined) {
    const cells = [...keyCells(queue, 'inbox_job'), ...dataCells(queue, 'inbox_job')];
    return statement(
      (value) => `
SELECT
  ${cells.join(',\n  ')}
FROM ${tableSql(queue)} AS inbox_job${whereSql(keyIsSql(queue, value))}
FOR NO KEY UPDATE OF inbox_job`,
    );
  }
  const cells = [
    ...keyCells(queue, 'inbox_job'),
    `inbox_job.${quote(attempt.column.name.text)}::text`,
    ...dataCells(queue, 'inbox_job'),
  ];
  return statement(
    (value) => `
UPDATE ${tableSql(queue)} AS inbox_job
SET ${countUpSql(queue).join(', ')}${whereSql(keyIsSql(queue, value))}
RETURNING
  ${cells.join(',\n  ')}`,
  );
}
