import type { QueueTable } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import { quote } from './quote.js';

/**
 * A column as the text in which it crosses to the runtime, whatever the session's DateStyle,
 * TimeZone or bytea_output and whatever type parsers the driver was given. JSON's form of a date or
 * time is ISO 8601 always, and has infinity and the years before Christ, at which to_char fails.
 */
export function cellOf(column: Column, reference: string): string {
  const { type } = column;
  switch (type.kind) {
    case 'bytes':
      return `E'\\\\x' || encode(${reference}, 'hex')`;
    case 'date':
      return `to_json(${reference}) #>> '{}'`;
    case 'instant':
      return type.stored === 'zoned'
        ? `to_json(${reference} AT TIME ZONE 'UTC') #>> '{}'`
        : `to_json(${reference}) #>> '{}'`;
    default:
      return `${reference}::text`;
  }
}

/** The key's cells. */
export function keyCells(queue: QueueTable, alias: string): readonly string[] {
  return queue.key.map((column) => cellOf(column, `${alias}.${quote(column.name.text)}`));
}

/** The cells behind a claimed row's fence: every row column but key and attempt, in DDL order. */
export function dataCells(queue: QueueTable, alias: string): readonly string[] {
  return queue.rowColumns
    .filter((column) => !queue.key.includes(column) && column !== queue.attempt?.column)
    .map((column) => cellOf(column, `${alias}.${quote(column.name.text)}`));
}
