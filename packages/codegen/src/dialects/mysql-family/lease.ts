import type { LeaseQueue } from '../../queue/queue.js';
import type { StatementSet } from '../statements.js';
import { claimStatement, dueStatement } from './claim.js';
import { countDownSql, countUpSql, laterSql, lockedUntilSql } from './clauses.js';
import { insertStatement } from './insert.js';
import type { Server } from './server.js';
import { ackStatement, ownStatement, seenStatement, writeStatement } from './settle.js';
import { inUtc } from './utc.js';

/** Every statement of a lease queue on MySQL or MariaDB, in the order in which the module lists them. */
export function leaseStatements(queue: LeaseQueue, server: Server): StatementSet {
  const expiry = `inbox_job.${lockedUntilSql(queue)}`;
  const entries: StatementSet['entries'] = [
    {
      name: 'due',
      comment:
        'Are more rows due than so many? A claim that came back short asks, and an idle poll.',
      statement: dueStatement(queue),
    },
    {
      name: 'claim',
      comment:
        'Reads candidates without locks, then locks exactly the due rows that it returns. `stamp` follows.',
      statement: claimStatement(queue),
    },
    {
      name: 'stamp',
      comment: 'Takes the rows, in the transaction that locked them.',
      statement: writeStatement(queue, (value) => [
        `${expiry} = ${value('held')}`,
        ...countUpSql(queue),
      ]),
    },
    {
      name: 'own',
      comment: 'Locks those of the rows that are free: their fences, and the expiry to extend to.',
      statement: ownStatement(queue),
    },
    {
      name: 'seen',
      comment: 'Reads the others: busy where the fence is still there, lost where it is not.',
      statement: seenStatement(queue),
    },
    {
      name: 'extend',
      comment: 'Moves the expiry of rows that `own` found to be ours.',
      statement: writeStatement(queue, (value) => [`${expiry} = ${value('held')}`]),
    },
    {
      name: 'ack',
      comment: 'Done: rows that `own` found to be ours go.',
      statement: ackStatement(queue),
    },
    {
      name: 'retry',
      comment:
        'Not done: rows that `own` found to be ours are due again, at once or after a while.',
      statement: writeStatement(queue, (value) => [
        `${expiry} = ${laterSql(queue, value, 'after')}`,
      ]),
    },
    {
      name: 'release',
      comment: 'Undecided: rows that `own` found to be ours are due again, as if never claimed.',
      statement: writeStatement(queue, () => [`${expiry} = NULL`, ...countDownSql(queue)]),
    },
    {
      name: 'insert',
      comment: 'Adds rows, a group of values each.',
      statement: insertStatement(queue, server),
    },
  ];
  return inUtc(queue, server, entries);
}
