import type { Column } from '../../table/table.js';

/**
 * A column as the text in which it crosses to the runtime, whatever the session's DateStyle,
 * TimeZone or bytea_output and whatever type parsers the driver was given.
 */
export function cellOf(column: Column, reference: string): string {
  const { type } = column;
  switch (type.kind) {
    case 'bytes':
      return `encode(${reference}, 'hex')`;
    case 'date':
      return `to_char(${reference}, 'YYYY-MM-DD')`;
    case 'instant':
      return type.stored === 'zoned'
        ? `to_char(${reference} AT TIME ZONE 'UTC', ${isoFormat})`
        : `to_char(${reference}, ${isoFormat})`;
    default:
      return `${reference}::text`;
  }
}

const isoFormat = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;
