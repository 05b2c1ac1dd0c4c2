import type { Column, Table } from '../../table/table.js';

/** How much of a column a normalised statement keeps. */
export interface ColumnText {
  readonly type: (column: Column) => string;
  readonly default: (sql: string) => string;
}

/**
 * A CREATE TABLE with only columns and their key, for a parser that cannot read the statement as it
 * is written: no table constraint, no option, no reference, no check. Names are quoted.
 */
export function normalisedDdl(
  table: Table,
  text: ColumnText,
  quote: (name: string) => string,
): string {
  const columns = table.columns.map((column) => {
    const parts = [quote(column.name.text), text.type(column)];
    if (column.default !== undefined) parts.push(`DEFAULT ${text.default(column.default.sql)}`);
    if (column.notNullSpan !== undefined) parts.push('NOT NULL');
    return parts.filter((part) => part !== '').join(' ');
  });
  const key =
    table.primaryKey.length === 0
      ? []
      : [`PRIMARY KEY (${table.primaryKey.map(quote).join(', ')})`];
  return `CREATE TABLE normalised (\n  ${[...columns, ...key].join(',\n  ')}\n)`;
}

/** A column's type as the DDL writes it. */
export function writtenType({ typeSpan }: Column): string {
  return typeSpan.source.text.slice(typeSpan.start, typeSpan.end);
}
