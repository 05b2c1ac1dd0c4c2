import type { AttemptColumn, LeaseQueue, QueueTable } from '../../queue/queue.js';
import { instantOf } from './instant.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/** The expiry column. */
export function lockedUntilSql({ lockedUntil }: LeaseQueue): string {
  return quote(lockedUntil.column.name.text);
}

/** The condition of "due", of the table itself or of an alias of it. */
export function dueSql(queue: LeaseQueue, value: Value, alias?: string): string {
  const column = `${alias === undefined ? '' : `${alias}.`}${lockedUntilSql(queue)}`;
  const now = instantOf(queue.lockedUntil.storage).now(clockSql(queue, value));
  return `${column} IS NULL OR ${column} <= ${now}`;
}

/** The text of the expiry that a named value's milliseconds from now; NULL where it is NULL. */
export function laterSql(queue: LeaseQueue, value: Value, name: string): string {
  const milliseconds = integerSql(value(name));
  return instantOf(queue.lockedUntil.storage).later(clockSql(queue, value), milliseconds);
}

/** "Now" from the host in microseconds since the epoch (`@clock host`); none for the database's. */
function clockSql({ clock }: QueueTable, value: Value): string | undefined {
  return clock === 'database' ? undefined : `${integerSql(value('now'))} * 1000`;
}

/** A value may come as text, and a text in a sum makes it a DOUBLE: too few digits for an epoch. */
function integerSql(placeholder: string): string {
  return `CAST(${placeholder} AS SIGNED)`;
}

/** The count of `inbox_job` after one delivery more; none without a count. */
export function countedUpSql({ attempt }: QueueTable): readonly string[] {
  if (attempt === undefined) return [];
  const counted = countedSql(attempt);
  return [`${attempt.most === undefined ? counted : `LEAST(${counted}, ${attempt.most - 1})`} + 1`];
}

/** The assignment that counts a delivery; none without a count. */
export function countUpSql(queue: QueueTable): readonly string[] {
  return countedUpSql(queue).map((count) => `${attemptSql(queue)} = ${count}`);
}

/** The assignment that takes a delivery back; none without a count. */
export function countDownSql(queue: QueueTable): readonly string[] {
  const { attempt } = queue;
  return attempt === undefined ? [] : [`${attemptSql(queue)} = ${countedSql(attempt)} - 1`];
}

function attemptSql({ attempt }: QueueTable): string {
  if (attempt === undefined) throw new Error('the queue does not count');
  return `inbox_job.${quote(attempt.column.name.text)}`;
}

function countedSql({ column, start }: AttemptColumn): string {
  const count = `inbox_job.${quote(column.name.text)}`;
  return column.nullable ? `COALESCE(${count}, ${start})` : count;
}
