import type { AdvisoryQueue, LockFragment, OwnLock } from '../../queue/queue.js';
import { lockEntries, releaseEntries } from '../advisory-entries.js';
import type { Statement, StatementSet } from '../statements.js';
import { keyCells } from './cells.js';
import { insertStatement } from './insert.js';
import { keyTextSql } from './lock-key.js';
import type { Server } from './server.js';
import { statement } from './statement.js';
import { keySql, tableSql } from './table-sql.js';
import { ackStatement, releaseStatement, takeEntries } from './taken-row.js';
import { inUtc } from './utc.js';

/** Every statement of an advisory queue whose lock is its author's own. */
export function ownLockStatements(
  queue: AdvisoryQueue,
  ownLock: OwnLock,
  server: Server,
): StatementSet {
  return inUtc(queue, server, [
    {
      name: 'candidates',
      comment: 'Reads the lock keys of the first due rows, locked or not.',
      statement: candidatesStatement(queue),
    },
    ...lockEntries(ownLock, '1', fragmentStatement),
    ...takeEntries(queue),
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
      comment: 'Adds rows, a group of values each.',
      statement: insertStatement(queue, server),
    },
  ]);
}

function fragmentStatement(fragment: LockFragment): Statement {
  return statement((value) => `\nSELECT CAST((${fragment.join(value('lock'))}) AS CHAR)`);
}

function candidatesStatement(queue: AdvisoryQueue): Statement {
  const cells = [`${keyTextSql(queue)} AS inbox_key`, ...keyCells(queue, 'inbox_job')];
  return statement(
    (value) => `
SELECT
  ${cells.join(',\n  ')}
FROM ${tableSql(queue)} AS inbox_job
ORDER BY ${keySql(queue, 'inbox_job')}
LIMIT ${value('candidates')}`,
  );
}
