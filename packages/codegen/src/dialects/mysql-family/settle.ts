import type { LeaseQueue } from '../../queue/queue.js';
import type { ListStatement } from '../statements.js';
import { keyCells } from './cells.js';
import { laterSql, lockedUntilSql } from './clauses.js';
import { quote } from './quote.js';
import { listStatement, type Value } from './statement.js';
import { jobSql, keyCondition, keyTable } from './table-sql.js';

/** Locks the rows of a list that nobody else has locked, and reads their fences. It never waits. */
export function ownStatement(queue: LeaseQueue): ListStatement {
  const { item, around } = keyTable(queue);
  return listStatement(
    item,
    (value, list) => `
SELECT
  ${[...fenceCells(queue), `${laterSql(queue, value, 'lease')} AS inbox_until`].join(',\n  ')}
FROM ${around(list)}
FOR UPDATE SKIP LOCKED`,
  );
}

/** Reads the fences of a list of rows as they stand, locked or not. */
export function seenStatement(queue: LeaseQueue): ListStatement {
  const { item, around } = keyTable(queue);
  return listStatement(
    item,
    (_, list) => `
SELECT
  ${fenceCells(queue).join(',\n  ')}
FROM ${around(list)}`,
  );
}

/** A row's fence as it stands: key, expiry, counted attempt. */
function fenceCells(queue: LeaseQueue): readonly string[] {
  const { attempt } = queue;
  return [
    ...keyCells(queue, 'inbox_job'),
    `CAST(inbox_job.${lockedUntilSql(queue)} AS CHAR) AS inbox_held`,
    ...(attempt === undefined
      ? []
      : [`CAST(inbox_job.${quote(attempt.column.name.text)} AS CHAR)`]),
  ];
}

/** Deletes the rows of a list. */
export function ackStatement(queue: LeaseQueue): ListStatement {
  const { item, around } = keyTable(queue);
  return listStatement(
    item,
    (_, list) => `
DELETE inbox_job
FROM ${around(list)}`,
  );
}

/** Writes into the rows of a list. */
export function writeStatement(
  queue: LeaseQueue,
  set: (value: Value) => readonly string[],
): ListStatement {
  const { item, around } = keyCondition(queue);
  return listStatement(
    item,
    (value, list) => `
UPDATE ${jobSql(queue)}
SET ${set(value).join(', ')}
WHERE ${around(list)}`,
  );
}
