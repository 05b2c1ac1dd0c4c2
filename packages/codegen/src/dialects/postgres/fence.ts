import type { LeaseQueue } from '../../queue/queue.js';
import { instantOf } from './instant.js';
import { quote } from './quote.js';

/** One value of a settlement that has an element for every row asked. */
export interface AskedValue {
  readonly name: string;
  readonly type: string;
}

/** The fence's values and their types, in the order of a claimed row's leading cells. */
export function fenceValues({ key, attempt }: LeaseQueue): readonly AskedValue[] {
  return [
    ...key.map((column, index) => ({ name: `key${index + 1}`, type: column.castType })),
    { name: 'held', type: 'bigint' },
    ...(attempt === undefined ? [] : [{ name: 'attempt', type: attempt.column.castType }]),
  ];
}

/** The conditions under which `inbox_job` has the key that `source` carries. */
export function keyMatchSql({ key }: LeaseQueue, source: string): readonly string[] {
  return key.map(
    ({ name }, index) => `inbox_job.${quote(name.text)} = ${source}.inbox_key${index + 1}`,
  );
}

/** The conditions under which `inbox_job` still is the row that `inbox_asked` was claimed as. */
export function fenceSql(queue: LeaseQueue): readonly string[] {
  const { lockedUntil, attempt } = queue;
  const held = instantOf(lockedUntil.storage).restored('inbox_asked.inbox_held');
  return [
    ...keyMatchSql(queue, 'inbox_asked'),
    `inbox_job.${quote(lockedUntil.column.name.text)} = ${held}`,
    ...(attempt === undefined
      ? []
      : [`inbox_job.${quote(attempt.column.name.text)} = inbox_asked.inbox_attempt`]),
  ];
}
