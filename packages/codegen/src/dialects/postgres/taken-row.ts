import type { AdvisoryQueue } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { countDownSql } from './clauses.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { keyIsSql, tableSql, whereSql } from './table-sql.js';

/** A condition beside the row's fence, that may bind values. */
export type Condition = (value: Value) => string;

/** Deletes a taken row that is still the one that was taken, under further conditions. */
export function ackStatement(queue: AdvisoryQueue, conditions: readonly Condition[]): Statement {
  return statement(
    (value) => `
DELETE FROM ${tableSql(queue)} AS inbox_job${whereSql(fenceSql(queue, value, conditions))}`,
  );
}

/** Takes a delivery back from the row's count, so that a deploy spends none. */
export function releaseStatement(
  queue: AdvisoryQueue,
  conditions: readonly Condition[],
): Statement {
  return statement(
    (value) => `
UPDATE ${tableSql(queue)} AS inbox_job
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
          `inbox_job.${quote(attempt.column.name.text)} = ${value('attempt')}::${attempt.column.castType}`,
        ]),
    ...conditions.map((condition) => condition(value)),
  ];
}
