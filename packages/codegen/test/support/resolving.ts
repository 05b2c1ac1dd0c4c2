import { resolveQueue } from '../../src/queue/resolve.js';
import { reportColumns, tableOf, type ColumnInput, type TableInput } from './tables.js';

/** The codes of what is wrong with a table. */
export function codesOf(input: TableInput): readonly string[] {
  return resolveQueue(tableOf(input)).diagnostics.map(({ code }) => code);
}

/** The README's columns with some changed or added. */
export function columns(...changes: readonly ColumnInput[]): readonly ColumnInput[] {
  const changed = reportColumns.map((column) => ({
    ...column,
    ...changes.find(({ name }) => name === column.name),
  }));
  const known = reportColumns.map(({ name }) => name);
  return [...changed, ...changes.filter(({ name }) => !known.includes(name))];
}
