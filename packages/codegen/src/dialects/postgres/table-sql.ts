import type { QueueTable } from '../../queue/queue.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/** The table as SQL names it, with its schema where the DDL gives one. */
export function tableSql({ table }: QueueTable): string {
  return table.schema === undefined
    ? quote(table.name.text)
    : `${quote(table.schema.text)}.${quote(table.name.text)}`;
}

/** The key's columns behind a table's alias: `inbox_job.tenant_id, inbox_job.n`. */
export function keySql({ key }: QueueTable, alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return key.map((column) => `${prefix}${quote(column.name.text)}`).join(', ');
}

/** The join of two sources by the key. */
export function keyJoinSql({ key }: QueueTable, left: string, right: string): string {
  return key
    .map(({ name }) => `${left}.${quote(name.text)} = ${right}.${quote(name.text)}`)
    .join(' AND ');
}

/** The conditions under which `inbox_job` is the row whose key is bound as `key1`, `key2`, …. */
export function keyIsSql({ key }: QueueTable, value: Value): readonly string[] {
  return key.map(({ name, castType }, index) => {
    const given = `${value(`key${index + 1}`)}::${castType}`;
    return `inbox_job.${quote(name.text)} = ${given}`;
  });
}

/** A WHERE clause on a line of its own; none without a condition. */
export function whereSql(conditions: readonly string[], indent = ''): string {
  return conditions.length === 0 ? '' : `\n${indent}WHERE ${conditions.join(`\n${indent}  AND `)}`;
}
