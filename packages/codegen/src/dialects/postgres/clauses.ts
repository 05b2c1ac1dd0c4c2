import type { AttemptColumn, QueueTable } from '../../queue/queue.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/**
 * "Now" as a `timestamptz` expression: the statement's own start on the database's clock (not the
 * transaction's, which may be long ago), or what the host sends with `@clock host`.
 */
export function clockSql({ clock }: QueueTable, value: Value): string {
  return clock === 'database'
    ? 'statement_timestamp()'
    : `(timestamptz 'epoch' + ${value('now')}::float8 * interval '1 millisecond')`;
}

/** The count of `inbox_job` after one delivery more; none without a count. */
export function countedUpSql({ attempt }: QueueTable): readonly string[] {
  if (attempt === undefined) return [];
  const counted = countedSql(attempt);
  return [`${attempt.most === undefined ? counted : `LEAST(${counted}, ${attempt.most - 1})`} + 1`];
}

/** The assignment on `inbox_job` that counts a delivery; none without a count. */
export function countUpSql(queue: QueueTable): readonly string[] {
  const { attempt } = queue;
  return attempt === undefined
    ? []
    : countedUpSql(queue).map((count) => `${quote(attempt.column.name.text)} = ${count}`);
}

/** The assignment on `inbox_job` that takes a delivery back; none without a count. */
export function countDownSql({ attempt }: QueueTable): readonly string[] {
  return attempt === undefined
    ? []
    : [`${quote(attempt.column.name.text)} = ${countedSql(attempt)} - 1`];
}

function countedSql({ column, start }: AttemptColumn): string {
  const count = `inbox_job.${quote(column.name.text)}`;
  return column.nullable ? `COALESCE(${count}, ${start})` : count;
}
