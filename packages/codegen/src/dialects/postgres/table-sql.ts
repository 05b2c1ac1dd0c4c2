import type { LeaseQueue } from '../../queue/queue.js';
import { quote } from './quote.js';

/** The table as SQL names it, with its schema where the DDL gives one. */
export function tableSql({ table }: LeaseQueue): string {
  return table.schema === undefined
    ? quote(table.name.text)
    : `${quote(table.schema.text)}.${quote(table.name.text)}`;
}

/** The key's columns behind a table's alias: `inbox_job.tenant_id, inbox_job.n`. */
export function keySql({ key }: LeaseQueue, alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return key.map((column) => `${prefix}${quote(column.name.text)}`).join(', ');
}

/** The join of two sources by the key. */
export function keyJoinSql({ key }: LeaseQueue, left: string, right: string): string {
  return key
    .map(({ name }) => `${left}.${quote(name.text)} = ${right}.${quote(name.text)}`)
    .join(' AND ');
}
