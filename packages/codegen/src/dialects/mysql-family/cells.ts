import type { QueueTable } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import { quote } from './quote.js';

/**
 * A column as the text in which it crosses to the runtime, whatever the pool's options and the
 * session's zone and mode. A type that is not known crosses as the hexadecimal text of its bytes.
 */
export function cellOf({ type }: Column, reference: string): string {
  switch (type.kind) {
    case 'bytes':
    case 'unknown':
      return `HEX(${reference})`;
    case 'instant':
      return `DATE_FORMAT(${reference}, '%Y-%m-%dT%H:%i:%s.%fZ')`;
    case 'float':
      // A FLOAT as text has six digits; as a DOUBLE it has all.
      return `CAST(${reference} + 0e0 AS CHAR)`;
    default:
      return `CAST(${reference} AS CHAR)`;
  }
}

/** A key's cell, as it was read or as a new row gave it, in SQL that an index can be asked for. */
export function keyValueSql({ type, castType }: Column, cell: string): string {
  switch (type.kind) {
    case 'bytes':
    case 'unknown':
      return `UNHEX(${cell})`;
    case 'instant':
      return `CAST(TRIM(TRAILING 'Z' FROM ${cell}) AS ${castType})`;
    case 'integer':
    case 'boolean':
      // Compared with a number, a text is a DOUBLE. Without the cast to CHAR MySQL takes the value
      // for a signed integer and refuses the upper half of the unsigned ones.
      return `CAST(CAST(${cell} AS CHAR) AS ${castType})`;
    case 'decimal':
      return `CAST(${cell} AS ${castType})`;
    default:
      return cell;
  }
}

/**
 * The cell of a new row in SQL that its column takes. An instant comes as ISO 8601 text with
 * milliseconds and a `Z`, which neither server takes; it is cut to the column's digits, since one
 * server would round where the other cuts.
 */
export function writtenSql({ type }: Column, cell: string): string {
  if (type.kind !== 'instant') return cell;
  const length = Math.min('YYYY-MM-DDTHH:MM:SS.'.length + type.digits, isoLength);
  return `LEFT(${cell}, ${type.digits === 0 ? length - 1 : length})`;
}

const isoLength = 'YYYY-MM-DDTHH:MM:SS.sss'.length;

/** The cells behind a claimed row's fence: every row column but key and attempt, in DDL order. */
export function dataCells(queue: QueueTable, alias: string): readonly string[] {
  return queue.rowColumns
    .filter((column) => !queue.key.includes(column) && column !== queue.attempt?.column)
    .map((column) => cellOf(column, `${alias}.${quote(column.name.text)}`));
}

/** The key's cells. */
export function keyCells(queue: QueueTable, alias: string): readonly string[] {
  return queue.key.map((column) => cellOf(column, `${alias}.${quote(column.name.text)}`));
}
