import type { LeaseQueue } from '../../queue/queue.js';
import type { Statement, StatementSet } from '../statements.js';
import { attemptSql, countedSql, dataCells, keyMatchSql } from './clauses.js';
import { insertStatement } from './insert.js';
import { databaseClock, instantOf } from './instant.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { keySql, tableSql } from './table-sql.js';

/** Every statement of a lease queue on SQLite, in the order in which the module lists them. */
export function leaseStatements(queue: LeaseQueue): StatementSet {
  return {
    entries: [
      {
        name: 'due',
        comment: 'Is anything due? Asked before a claim takes the write lock.',
        statement: dueStatement(queue),
      },
      {
        name: 'claim',
        comment: 'Reads due rows, with the expiry and the count that `stamp` writes into each.',
        statement: claimStatement(queue),
      },
      {
        name: 'stamp',
        comment: 'Takes a row, in the transaction that read it.',
        statement: stampStatement(queue),
      },
      {
        name: 'extend',
        comment: 'Moves the expiry of a row that is still ours.',
        statement: extendStatement(queue),
      },
      {
        name: 'ack',
        comment: 'Done: a row that is still ours goes.',
        statement: ackStatement(queue),
      },
      {
        name: 'retry',
        comment: 'Not done: a row that is still ours is due again, at once or after a while.',
        statement: retryStatement(queue),
      },
      {
        name: 'release',
        comment: 'Undecided: a row that is still ours is due again, as if never claimed.',
        statement: releaseStatement(queue),
      },
      { name: 'insert', comment: 'Adds a row.', statement: insertStatement(queue) },
    ],
  };
}

function dueStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
SELECT 1
FROM ${tableSql(queue)}
WHERE ${dueSql(queue, value)}
LIMIT 1`,
  );
}

/** Inside BEGIN IMMEDIATE nobody else writes between this and `stamp`, and the order is ours. */
function claimStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
SELECT
  ${claimedCells(queue, value).join(',\n  ')}
FROM ${tableSql(queue)}
WHERE ${dueSql(queue, value)}
ORDER BY ${keySql(queue)}
LIMIT ${value('limit')}`,
  );
}

/** The cells of a claimed row: key, expiry, counted attempt, then the rest in DDL order. */
function claimedCells(queue: LeaseQueue, value: Value): readonly string[] {
  return [
    ...queue.key.map(({ name }) => quote(name.text)),
    `${laterSql(queue, value, value('lease'))} AS inbox_held`,
    ...(queue.attempt === undefined ? [] : [`${countedSql(queue, '+ 1')} AS inbox_attempt`]),
    ...dataCells(queue),
  ];
}

function stampStatement(queue: LeaseQueue): Statement {
  return statement((value) => {
    const set = [
      `${lockedUntilSql(queue)} = ${value('held')}`,
      ...(queue.attempt === undefined ? [] : [`${attemptSql(queue)} = ${value('attempt')}`]),
    ];
    return `
UPDATE ${tableSql(queue)}
SET ${set.join(', ')}
WHERE ${keyMatchSql(queue, value)}`;
  });
}

function extendStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
UPDATE ${tableSql(queue)}
SET ${lockedUntilSql(queue)} = ${laterSql(queue, value, value('lease'))}
WHERE ${fenceSql(queue, value)}
RETURNING ${lockedUntilSql(queue)}`,
  );
}

function ackStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
DELETE FROM ${tableSql(queue)}
WHERE ${fenceSql(queue, value)}`,
  );
}

/** A row that waits keeps an expiry that no delivery knows: due again when it has passed. */
function retryStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
UPDATE ${tableSql(queue)}
SET ${lockedUntilSql(queue)} = ${laterSql(queue, value, value('after'))}
WHERE ${fenceSql(queue, value)}`,
  );
}

/** Gives the attempt back, so that a deploy spends none. */
function releaseStatement(queue: LeaseQueue): Statement {
  return statement((value) => {
    const set = [
      `${lockedUntilSql(queue)} = NULL`,
      ...(queue.attempt === undefined
        ? []
        : [`${attemptSql(queue)} = ${countedSql(queue, '- 1')}`]),
    ];
    return `
UPDATE ${tableSql(queue)}
SET ${set.join(', ')}
WHERE ${fenceSql(queue, value)}`;
  });
}

function dueSql(queue: LeaseQueue, value: Value): string {
  const lockedUntil = lockedUntilSql(queue);
  const instant = instantOf(queue.lockedUntil.storage);
  return `${lockedUntil} IS NULL OR ${instant.isPast(lockedUntil, clockSql(queue, value))}`;
}

function laterSql(queue: LeaseQueue, value: Value, milliseconds: string): string {
  return instantOf(queue.lockedUntil.storage).later(clockSql(queue, value), milliseconds);
}

function clockSql({ clock }: LeaseQueue, value: Value): string {
  return clock === 'database' ? databaseClock : value('now');
}

/** The conditions under which a row still is the one that was claimed. */
function fenceSql(queue: LeaseQueue, value: Value): string {
  return [
    keyMatchSql(queue, value),
    `${lockedUntilSql(queue)} = ${value('held')}`,
    ...(queue.attempt === undefined ? [] : [`${attemptSql(queue)} = ${value('attempt')}`]),
  ].join(' AND ');
}

function lockedUntilSql({ lockedUntil }: LeaseQueue): string {
  return quote(lockedUntil.column.name.text);
}
