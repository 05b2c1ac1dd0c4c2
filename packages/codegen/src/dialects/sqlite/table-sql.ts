import type { QueueTable } from '../../queue/queue.js';
import { quote } from './quote.js';

/** The table as SQL names it, with its schema (an attached database) where the DDL gives one. */
export function tableSql({ table }: QueueTable): string {
  return table.schema === undefined
    ? quote(table.name.text)
    : `${quote(table.schema.text)}.${quote(table.name.text)}`;
}

/** The key's columns: `tenant_id, n`. */
export function keySql({ key }: QueueTable): string {
  return key.map(({ name }) => quote(name.text)).join(', ');
}
