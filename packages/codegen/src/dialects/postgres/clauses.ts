import type { LeaseQueue } from '../../queue/queue.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/**
 * "Now" as a `timestamptz` expression: the statement's own start on the database's clock (not the
 * transaction's, which may be long ago), or what the host sends with `@clock host`.
 */
export function clockSql({ clock }: LeaseQueue, value: Value): string {
  return clock === 'database'
    ? 'statement_timestamp()'
    : `(timestamptz 'epoch' + ${value('now')}::float8 * interval '1 millisecond')`;
}

/** The assignment on `inbox_job` that counts a delivery or takes it back; none without a count. */
export function countSql({ attempt }: LeaseQueue, step: '+ 1' | '- 1'): readonly string[] {
  if (attempt === undefined) return [];
  const name = quote(attempt.column.name.text);
  const counted = attempt.column.nullable
    ? `COALESCE(inbox_job.${name}, ${attempt.start})`
    : `inbox_job.${name}`;
  return [`${name} = ${counted} ${step}`];
}
