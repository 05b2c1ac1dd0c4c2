import type { AdvisoryQueue, LockFragment } from '../../queue/queue.js';
import { lockEntries, releaseEntries } from '../advisory-entries.js';
import type { Statement, StatementSet } from '../statements.js';
import { insertStatement } from './insert.js';
import { keyTextSql } from './lock-key.js';
import { statement } from './statement.js';
import { keySql, tableSql } from './table-sql.js';
import { ackStatement, releaseStatement, takeStatement } from './taken-row.js';

/** Every statement of an advisory queue on SQLite, in the order in which the module lists them. */
export function advisoryStatements(queue: AdvisoryQueue): StatementSet {
  return {
    entries: [
      candidatesEntry(queue),
      ...lockEntries(queue.ownLock, '1', fragmentStatement),
      {
        name: 'take',
        comment: 'Takes the row of a locked key if it is still due.',
        statement: takeStatement(queue),
      },
      { name: 'ack', comment: 'Done: the row goes.', statement: ackStatement(queue) },
      ...releaseEntries(queue, 'Undecided: takes the delivery back from the count.', () =>
        releaseStatement(queue),
      ),
      { name: 'insert', comment: 'Adds a row.', statement: insertStatement(queue) },
    ],
  };
}

/** The process knows its own locks, and the select leaves them out; it knows nothing of others'. */
function candidatesEntry(queue: AdvisoryQueue): StatementSet['entries'][number] {
  return queue.ownLock === undefined
    ? {
        name: 'candidates',
        comment: 'Reads the lock keys of the first due rows, but those that are in work here.',
        statement: freeCandidatesStatement(queue),
      }
    : {
        name: 'candidates',
        comment: 'Reads the lock keys of the first due rows, locked or not.',
        statement: candidatesStatement(queue),
      };
}

function candidatesStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
SELECT
  ${keyTextSql(queue)} AS inbox_key,
  ${keySql(queue)}
FROM ${tableSql(queue)}
ORDER BY ${keySql(queue)}
LIMIT ${value('candidates')}`,
  );
}

/**
 * The table inside only gives a name to what the condition says, which would take an alias for a
 * column of that name; SQLite merges it. Keys are compared byte for byte, whatever the collation of
 * a column that is the whole key.
 */
function freeCandidatesStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
SELECT inbox_key, ${keySql(queue)}
FROM (
  SELECT
    ${keyTextSql(queue)} AS inbox_key,
    ${keySql(queue)}
  FROM ${tableSql(queue)}
) AS inbox_named
WHERE inbox_key COLLATE BINARY NOT IN (
  SELECT value FROM json_each(${value('inWork')})
)
ORDER BY ${keySql(queue)}
LIMIT ${value('candidates')}`,
  );
}

function fragmentStatement(fragment: LockFragment): Statement {
  return statement((value) => `\nSELECT CAST((${fragment.join(value('lock'))}) AS TEXT)`);
}
