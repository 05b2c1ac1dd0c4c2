import type { LeaseQueue } from '../../queue/queue.js';
import type { Statement, StatementSet } from '../statements.js';
import { claimStatement } from './claim.js';
import { clockSql, countDownSql } from './clauses.js';
import { insertStatement } from './insert.js';
import { instantOf } from './instant.js';
import { quote } from './quote.js';
import { settleStatement } from './settle.js';
import { tableSql } from './table-sql.js';

/** Every statement of a lease queue on Postgres, in the order in which the module lists them. */
export function leaseStatements(queue: LeaseQueue): StatementSet {
  return {
    entries: [
      {
        name: 'claimOne',
        comment: 'Takes the first due row that nobody else holds, stamps its expiry and counts.',
        statement: claimStatement(queue, () => '1'),
      },
      {
        name: 'claim',
        comment: 'The same for up to as many rows as handlers are free.',
        statement: claimStatement(queue, (value) => value('limit')),
      },
      {
        name: 'extend',
        comment:
          'Moves the expiry of the rows that are still ours; a locked row is busy, not lost.',
        statement: extendStatement(queue),
      },
      {
        name: 'ack',
        comment: 'Done: the rows that are still ours go.',
        statement: ackStatement(queue),
      },
      {
        name: 'retry',
        comment: 'Not done: the rows that are still ours are due again, at once or after a while.',
        statement: retryStatement(queue),
      },
      {
        name: 'release',
        comment: 'Undecided: the rows that are still ours are due again, as if never claimed.',
        statement: releaseStatement(queue),
      },
      {
        name: 'insert',
        comment: 'Adds rows: an array a cell, one element a row.',
        statement: insertStatement(queue),
      },
    ],
  };
}

/** NO KEY: a row stays extendable while its handler holds an uncommitted foreign-key child. */
function extendStatement(queue: LeaseQueue): Statement {
  const { column, storage } = queue.lockedUntil;
  const lockedUntil = quote(column.name.text);
  const instant = instantOf(storage);
  return settleStatement(queue, {
    asked: [],
    lock: 'FOR NO KEY UPDATE',
    write: (value) => `
  UPDATE ${tableSql(queue)} AS inbox_job
  SET ${lockedUntil} = ${instant.later(clockSql(queue, value), `${value('lease')}::float8`)}
  FROM inbox_owned`,
    answer: instant.held(`inbox_job.${lockedUntil}`),
  });
}

function ackStatement(queue: LeaseQueue): Statement {
  return settleStatement(queue, {
    asked: [],
    lock: 'FOR UPDATE',
    write: () => `
  DELETE FROM ${tableSql(queue)} AS inbox_job
  USING inbox_owned`,
  });
}

/** A row that waits keeps an expiry that no delivery knows: due again when it has passed. */
function retryStatement(queue: LeaseQueue): Statement {
  const { column, storage } = queue.lockedUntil;
  const later = (clock: string): string =>
    instantOf(storage).later(clock, 'inbox_owned.inbox_after');
  return settleStatement(queue, {
    asked: [{ name: 'after', type: 'float8' }],
    lock: 'FOR NO KEY UPDATE',
    write: (value) => `
  UPDATE ${tableSql(queue)} AS inbox_job
  SET ${quote(column.name.text)} = ${later(clockSql(queue, value))}
  FROM inbox_owned`,
  });
}

/** Gives the attempt back, so that a deploy spends none. */
function releaseStatement(queue: LeaseQueue): Statement {
  const set = [`${quote(queue.lockedUntil.column.name.text)} = NULL`, ...countDownSql(queue)];
  return settleStatement(queue, {
    asked: [],
    lock: 'FOR NO KEY UPDATE',
    write: () => `
  UPDATE ${tableSql(queue)} AS inbox_job
  SET ${set.join(', ')}
  FROM inbox_owned`,
  });
}
