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

/** The conditions under which `inbox_job` still is the row that `inbox_asked` was claimed as. */
export function fenceSql({ key, lockedUntil, attempt }: LeaseQueue): readonly string[] {
  const held = instantOf(lockedUntil.storage).restored('inbox_asked.inbox_held');
  return [
    ...key.map(
      ({ name }, index) => `inbox_job.${quote(name.text)} = inbox_asked.inbox_key${index + 1}`,
    ),
    `inbox_job.${quote(lockedUntil.column.name.text)} = ${held}`,
    ...(attempt === undefined
      ? []
      : [`inbox_job.${quote(attempt.column.name.text)} = inbox_asked.inbox_attempt`]),
  ];
}
