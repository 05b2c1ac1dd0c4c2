import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Column } from '../table/table.js';
import { byProperty, familyDifferences } from './family-differences.js';
import { mergeTypes } from './merge-types.js';
import { propertyName } from './properties.js';
import type { InsertColumn, Property, Queue, QueueFamily } from './queue.js';
import { traitsOf } from './roles.js';

/**
 * Makes one class of the queues that one table has on several dialects, given in the order of the
 * dialects. The queues may differ in what SQL says of their columns, but not in their form, the
 * columns of the row, the key, how they count, whose clock they use and the types that TypeScript
 * sees: `form-differs`, `columns-differ`, `column-type-conflict`, `clock-differs`.
 */
export function familyOf(queues: readonly [Queue, ...Queue[]]): Result<QueueFamily> {
  const [first, ...others] = queues;
  const diagnostics: Diagnostic[] = others.flatMap((other) => familyDifferences(first, other));
  if (diagnostics.length > 0) return { diagnostics };

  const properties: Property[] = [];
  for (const column of first.rowColumns) {
    const result = propertyOf(column, queues);
    diagnostics.push(...result.diagnostics);
    if (result.value) properties.push(result.value);
  }
  if (diagnostics.length > 0) return { diagnostics };

  const aligned = (queue: Queue): Queue => align(queue, properties, queues.indexOf(queue));
  const value: QueueFamily = {
    names: first.names,
    queues: [aligned(first), ...others.map(aligned)],
    properties,
  };
  return { value, diagnostics };
}

/** One column over all queues, as the row's type has it. */
function propertyOf(column: Column, queues: readonly [Queue, ...Queue[]]): Result<Property> {
  const [first, ...others] = queues;
  const role = roleOf(column, first);
  const columns: [Column, ...Column[]] = [column];
  let { type } = column;
  for (const other of others) {
    const counterpart = byProperty(column, other.rowColumns);
    if (counterpart === undefined) continue;
    const merged = mergeTypes(type, counterpart.type, role === 'payload' ? 'payload' : 'other');
    if (merged === undefined)
      return { diagnostics: [typeConflict(column, first, counterpart, other)] };
    type = merged;
    columns.push(counterpart);
  }
  const given = givenBy(columns, role, queues);
  const property: Property = {
    name: propertyName(column.name.text),
    role,
    type,
    nullable: role !== 'id' && role !== 'attempt' && columns.some(({ nullable }) => nullable),
    ...(given && { given }),
    columns,
  };
  return { value: property, diagnostics: [] };
}

function roleOf(column: Column, queue: Queue): Property['role'] {
  if (queue.key.includes(column)) return 'id';
  if (queue.attempt?.column === column) return 'attempt';
  return queue.payload === column ? 'payload' : 'data';
}

/** How a new row gives a column: what one dialect cannot do without, every new row must give. */
function givenBy(
  columns: readonly Column[],
  role: Property['role'],
  queues: readonly Queue[],
): Property['given'] {
  if (role === 'attempt') return undefined;
  if (columns.every(({ generated }) => generated !== undefined)) return undefined;
  const isOptional = (column: Column, queue: Queue | undefined): boolean => {
    if (role !== 'id') return column.default !== undefined || column.nullable;
    // A key that a default fills is known only to a database that answers it.
    const answers = queue !== undefined && traitsOf(queue.table).answersInserts;
    return column.default !== undefined && answers;
  };
  return {
    required: !columns.every((column, index) => isOptional(column, queues[index])),
    nullable: role !== 'id' && columns.every(({ nullable }) => nullable),
    flagged: columns.some((column) => column.default !== undefined),
  };
}

/** A queue with its columns in the family's order, and the cells that the family gives. */
function align(queue: Queue, properties: readonly Property[], index: number): Queue {
  const rowColumns: Column[] = [];
  const insertColumns: InsertColumn[] = [];
  for (const { columns, given } of properties) {
    const column = columns[index];
    if (column === undefined) continue;
    rowColumns.push(column);
    if (given) insertColumns.push({ column, flagged: given.flagged });
  }
  return { ...queue, rowColumns, insertColumns };
}

function typeConflict(column: Column, first: Queue, other: Column, queue: Queue): Diagnostic {
  return {
    code: 'column-type-conflict',
    severity: 'error',
    message: `"${other.name.text}" holds ${other.type.kind} on ${queue.dialect} and ${column.type.kind} on ${first.dialect}, so one class cannot serve both`,
    span: other.typeSpan,
    help: 'declare types that hold the same values, or generate the dialects into two folders',
    related: { span: column.typeSpan, message: `on ${first.dialect}` },
  };
}
