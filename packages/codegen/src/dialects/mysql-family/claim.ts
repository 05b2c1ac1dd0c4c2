import type { LeaseQueue } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { dataCells, keyCells } from './cells.js';
import { countedUpSql, dueSql, laterSql } from './clauses.js';
import { statement } from './statement.js';
import { jobSql, keyJoinSql, keySql, tableSql } from './table-sql.js';

/** Whether more rows are due than so many; a plain read, for an idle poll. */
export function dueStatement(queue: LeaseQueue): Statement {
  return statement(
    (value) => `
SELECT 1
FROM ${tableSql(queue)}
WHERE ${dueSql(queue, value)}
LIMIT 1 OFFSET ${value('candidates')}`,
  );
}

/**
 * Locks due rows and reads them; `stamp` takes them in the same transaction.
 *
 * InnoDB locks every row that a locking read looks at, before sort and limit. So the candidates are
 * read without locks in a derived table, the table is joined to them by its key, "due" is checked
 * again on what is locked, and the limit ends the join: it locks exactly the rows it returns. There
 * is no ORDER BY outside, or all candidates would be locked to be sorted: the rows come in the order
 * of the derived table, which no standard promises, so the runtime looks.
 */
export function claimStatement(queue: LeaseQueue): Statement {
  return statement((value) => {
    const cells = [
      ...keyCells(queue, 'inbox_job'),
      `${laterSql(queue, value, 'lease')} AS inbox_held`,
      ...countedUpSql(queue).map((counted) => `CAST(${counted} AS CHAR)`),
      ...dataCells(queue, 'inbox_job'),
    ];
    return `
SELECT
  ${cells.join(',\n  ')}
FROM (
  SELECT ${keySql(queue)}
  FROM ${tableSql(queue)}
  WHERE ${dueSql(queue, value)}
  ORDER BY ${keySql(queue)}
  LIMIT ${value('candidates')}
) AS inbox_due
STRAIGHT_JOIN ${jobSql(queue)}
  ON ${keyJoinSql(queue, 'inbox_job', 'inbox_due')}
WHERE ${dueSql(queue, value, 'inbox_job')}
LIMIT ${value('limit')}
FOR UPDATE SKIP LOCKED`;
  });
}
