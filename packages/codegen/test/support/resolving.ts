import { dialectNamed } from '../../src/dialects/index.js';
import type { LeaseQueue, Queue } from '../../src/queue/queue.js';
import { resolveQueue } from '../../src/queue/resolve.js';
import type { Result } from '../../src/source/diagnostic.js';
import type { Table } from '../../src/table/table.js';
import { reportColumns, tableOf, type ColumnInput, type TableInput } from './tables.js';

/** A table as a queue, by the rules of its own dialect. */
export function resolved(table: Table): Result<Queue> {
  return resolveQueue(table, dialectNamed(table.dialect).lexicalRules);
}

/** The same where the queue must be a lease, if there is one. */
export function resolvedLease(table: Table): Result<LeaseQueue> {
  const { value, diagnostics } = resolved(table);
  if (value === undefined) return { diagnostics };
  if (value.kind !== 'lease') throw new Error(`a ${value.kind} came, not a lease`);
  return { value, diagnostics };
}

/** The codes of what is wrong with a table. */
export function codesOf(input: TableInput): readonly string[] {
  return resolved(tableOf(input)).diagnostics.map(({ code }) => code);
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
