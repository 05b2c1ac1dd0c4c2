import type { AdvisoryQueue } from '../../queue/queue.js';
import type { Statement, StatementSet } from '../statements.js';
import { dataCells, keyCells, keyValueSql } from './cells.js';
import { countDownSql, countUpSql } from './clauses.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { jobSql, keyIsSql, whereSql } from './table-sql.js';

/** A condition beside the row's fence, that may bind values. */
export type Condition = (value: Value) => string;

/** The statements that take the row of a locked key: `count`, where the table counts, and `take`. */
export function takeEntries(queue: AdvisoryQueue): StatementSet['entries'] {
  const take = {
    name: 'take',
    comment:
      queue.attempt === undefined
        ? 'Reads the row of the locked key if it is still due.'
        : 'Reads the row that `count` has found.',
    statement: takeStatement(queue),
  };
  if (queue.attempt === undefined) return [take];
  return [
    {
      name: 'count',
      comment: 'Counts a delivery of the row of the locked key if it is still due. `take` follows.',
      statement: countStatement(queue),
    },
    take,
  ];
}

function countStatement(queue: AdvisoryQueue): Statement {
  return statement(
    (value) => `
UPDATE ${jobSql(queue)}
SET ${countUpSql(queue).join(', ')}${whereSql(keyIsSql(queue, value))}`,
  );
}

/** Without a count the read locks: only so it looks at the row as it is now, in any transaction. */
function takeStatement(queue: AdvisoryQueue): Statement {
  const { attempt } = queue;
  const cells = [
    ...keyCells(queue, 'inbox_job'),
    ...(attempt === undefined
      ? []
      : [`CAST(inbox_job.${quote(attempt.column.name.text)} AS CHAR) AS inbox_attempt`]),
    ...dataCells(queue, 'inbox_job'),
  ];
  return statement(
    (value) => `
SELECT
  ${cells.join(',\n  ')}
FROM ${jobSql(queue)}${whereSql(keyIsSql(queue, value))}${attempt === undefined ? '\nFOR UPDATE' : ''}`,
  );
}

/** Deletes a taken row that is still the one that was taken, under further conditions. */
export function ackStatement(queue: AdvisoryQueue, conditions: readonly Condition[]): Statement {
  return statement(
    (value) => `
DELETE inbox_job
FROM ${jobSql(queue)}${whereSql(fenceSql(queue, value, conditions))}`,
  );
}

/** Takes a delivery back from the row's count, so that a deploy spends none. */
export function releaseStatement(
  queue: AdvisoryQueue,
  conditions: readonly Condition[],
): Statement {
  return statement(
    (value) => `
UPDATE ${jobSql(queue)}
SET ${countDownSql(queue).join(', ')}${whereSql(fenceSql(queue, value, conditions))}`,
  );
}

/** Every take raises the count, so an unchanged one says that nobody has taken the row since. */
function fenceSql(
  queue: AdvisoryQueue,
  value: Value,
  conditions: readonly Condition[],
): readonly string[] {
  const { attempt } = queue;
  return [
    ...keyIsSql(queue, value),
    ...(attempt === undefined
      ? []
      : [
          `inbox_job.${quote(attempt.column.name.text)} = ${keyValueSql(attempt.column, value('attempt'))}`,
        ]),
    ...conditions.map((condition) => condition(value)),
  ];
}
