import type { LeaseQueue } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { clockSql, countUpSql } from './clauses.js';
import { instantOf } from './instant.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { keyJoinSql, keySql, tableSql } from './table-sql.js';

/**
 * Takes due rows in one statement.
 *
 * The locking select stands in a CTE of its own: as a subquery of the UPDATE it could be executed
 * again for every row, and SKIP LOCKED would then step over the rows just taken. FOR NO KEY UPDATE
 * lets foreign-key children of the row be inserted meanwhile. The outer SELECT orders, since
 * RETURNING follows the join; it orders by the columns, not by their text.
 */
export function claimStatement(queue: LeaseQueue, limit: (value: Value) => string): Statement {
  const { column, storage } = queue.lockedUntil;
  const lockedUntil = quote(column.name.text);
  const instant = instantOf(storage);
  return statement((value) => {
    const clock = clockSql(queue, value);
    const set = [
      `${lockedUntil} = ${instant.later(clock, `${value('lease')}::float8`)}`,
      ...countUpSql(queue),
    ];
    return `
WITH inbox_due AS MATERIALIZED (
  SELECT ${keySql(queue)}
  FROM ${tableSql(queue)}
  WHERE ${lockedUntil} IS NULL OR ${lockedUntil} <= ${instant.now(clock)}
  ORDER BY ${keySql(queue)}
  LIMIT ${limit(value)}
  FOR NO KEY UPDATE SKIP LOCKED
),
inbox_claimed AS (
  UPDATE ${tableSql(queue)} AS inbox_job
  SET ${set.join(',\n    ')}
  FROM inbox_due
  WHERE ${keyJoinSql(queue, 'inbox_job', 'inbox_due')}
  RETURNING ${returnedSql(queue).join(', ')}
)
SELECT
  ${claimedCells(queue).join(',\n  ')}
FROM inbox_claimed
ORDER BY ${keySql(queue, 'inbox_claimed')}`;
  });
}

/** The columns that the claim answers: the key, the expiry, and all that a row shows. */
function returnedSql({ key, lockedUntil, rowColumns }: LeaseQueue): readonly string[] {
  const columns = new Set([...key, lockedUntil.column, ...rowColumns]);
  return [...columns].map(({ name }) => `inbox_job.${quote(name.text)}`);
}

/** The cells of a claimed row: key, expiry, counted attempt, then the rest in DDL order. */
function claimedCells(queue: LeaseQueue): readonly string[] {
  const { attempt, lockedUntil } = queue;
  const held = instantOf(lockedUntil.storage).held(
    `inbox_claimed.${quote(lockedUntil.column.name.text)}`,
  );
  return [
    ...keyCells(queue, 'inbox_claimed'),
    `${held} AS inbox_held`,
    ...(attempt === undefined ? [] : [`inbox_claimed.${quote(attempt.column.name.text)}::text`]),
    ...dataCells(queue, 'inbox_claimed'),
  ];
}
