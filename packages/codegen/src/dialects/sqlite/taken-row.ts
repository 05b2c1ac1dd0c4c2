import type { AdvisoryQueue } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { attemptSql, countedSql, dataCells, keyMatchSql } from './clauses.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { tableSql } from './table-sql.js';

/** Counts a delivery of a row that is still due, and answers its cells. */
export function takeStatement(queue: AdvisoryQueue): Statement {
  const cells = [
    ...queue.key.map(({ name }) => quote(name.text)),
    ...(queue.attempt === undefined ? [] : [attemptSql(queue)]),
    ...dataCells(queue),
  ].join(',\n  ');
  return statement((value) =>
    queue.attempt === undefined
      ? `
SELECT
  ${cells}
FROM ${tableSql(queue)}
WHERE ${keyMatchSql(queue, value)}`
      : `
UPDATE ${tableSql(queue)}
SET ${attemptSql(queue)} = ${countedSql(queue, '+ 1')}
WHERE ${keyMatchSql(queue, value)}
RETURNING
  ${cells}`,
  );
}

/** Deletes a taken row that is still the one that was taken. */
export function ackStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
DELETE FROM ${tableSql(queue)}
WHERE ${fenceSql(queue, value)}`,
  );
}

/** Takes a delivery back from the row's count, so that a deploy spends none. */
export function releaseStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
UPDATE ${tableSql(queue)}
SET ${attemptSql(queue)} = ${countedSql(queue, '- 1')}
WHERE ${fenceSql(queue, value)}`,
  );
}

/** Every take raises the count, so an unchanged one says that nobody has taken the row since. */
function fenceSql(queue: AdvisoryQueue, value: Value): string {
  const key = keyMatchSql(queue, value);
  return queue.attempt === undefined
    ? key
    : `${key} AND ${attemptSql(queue)} = ${value('attempt')}`;
}
