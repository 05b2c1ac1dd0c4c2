import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import type { Column } from '../table/table.js';
import { annotationNamed } from './annotation-arguments.js';
import { propertyName } from './properties.js';
import type { Queue } from './queue.js';

/**
 * What keeps two dialects' queues of one table from being one class, types aside. Columns are the
 * same where their properties are: `tenantId` and `tenant_id` are one column.
 */
export function familyDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  return [
    ...formDifferences(first, other),
    ...missingColumns(first, other),
    ...missingColumns(other, first),
    ...generatedDifferences(first, other),
    ...keyDifferences(first, other),
    ...roleDifferences(first, other),
    ...clockDifferences(first, other),
  ];
}

/** A class has one form and, where its constructor takes the lock, that on every database. */
function formDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  const [left, right] = [formWords(first), formWords(other)];
  if (left === right) return [];
  return [
    {
      code: 'form-differs',
      severity: 'error',
      message: `table "${other.table.name.text}" is ${right} on ${other.dialect} and ${left} on ${first.dialect}`,
      span: placeOfForm(other),
      help: 'give it one form everywhere, or generate the dialects into two folders',
      related: { span: placeOfForm(first), message: `on ${first.dialect}` },
    },
  ];
}

function formWords(queue: Queue): string {
  const custom = queue.kind === 'advisory' && queue.ownLock?.kind === 'functions';
  return custom ? 'advisory with @custom' : queue.kind;
}

function placeOfForm({ table: { annotations, name } }: Queue): Span {
  const said = ['custom', 'advisory', 'inbox'].map((word) => annotationNamed(annotations, word));
  return said.find((annotation) => annotation !== undefined)?.span ?? name.span;
}

/** The column of the same property, or none. */
export function byProperty(column: Column, columns: readonly Column[]): Column | undefined {
  const property = propertyName(column.name.text);
  return columns.find(({ name }) => propertyName(name.text) === property);
}

function missingColumns(left: Queue, right: Queue): readonly Diagnostic[] {
  return left.rowColumns
    .filter((column) => byProperty(column, right.rowColumns) === undefined)
    .map((column) =>
      differ(
        `"${column.name.text}" is a column on ${left.dialect}, but not on ${right.dialect}`,
        column.span,
        { span: right.table.name.span, message: `the table on ${right.dialect}` },
      ),
    );
}

/** A column that one database always fills by itself cannot be given to the other one only. */
function generatedDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  return first.rowColumns.flatMap((column): readonly Diagnostic[] => {
    const counterpart = byProperty(column, other.rowColumns);
    if (counterpart === undefined) return [];
    const isFilled = ({ generated }: Column): boolean => generated !== undefined;
    const isClosed = ({ generated }: Column): boolean =>
      generated === 'always' || generated === 'computed';
    if (isFilled(column) === isFilled(counterpart)) return [];
    if (!isClosed(column) && !isClosed(counterpart)) return [];
    const [closed, open] = isClosed(column) ? [first, other] : [other, first];
    return [
      differ(
        `"${counterpart.name.text}" is always filled by ${closed.dialect}, but not by ${open.dialect}`,
        counterpart.span,
        { span: column.span, message: `on ${first.dialect}` },
      ),
    ];
  });
}

function keyDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  const [left, right] = [first, other].map(({ key }) => key.map(({ name }) => name.text));
  const properties = ({ key }: Queue): string =>
    JSON.stringify(key.map(({ name }) => propertyName(name.text)));
  if (properties(first) === properties(other)) return [];
  return [
    differ(
      `the key is (${right?.join(', ')}) on ${other.dialect} and (${left?.join(', ')}) on ${first.dialect}`,
      other.key[0]?.span ?? other.table.name.span,
      { span: first.key[0]?.span ?? first.table.name.span, message: `on ${first.dialect}` },
    ),
  ];
}

function roleDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  return (['attempt', 'payload'] as const).flatMap((role) => {
    const [left, right] = [columnOf(first, role), columnOf(other, role)];
    if (said(left) === said(right) && startOf(first, role) === startOf(other, role)) return [];
    return [
      differ(
        left && right && said(left) === said(right)
          ? `${role} starts at ${startOf(other, role)} on ${other.dialect} and at ${startOf(first, role)} on ${first.dialect}`
          : `${role} is ${named(right)} on ${other.dialect} and ${named(left)} on ${first.dialect}`,
        right?.span ?? other.table.name.span,
        { span: left?.span ?? first.table.name.span, message: `on ${first.dialect}` },
      ),
    ];
  });
}

function columnOf(queue: Queue, role: 'attempt' | 'payload'): Column | undefined {
  return role === 'attempt' ? queue.attempt?.column : queue.payload;
}

function startOf(queue: Queue, role: 'attempt' | 'payload'): number | undefined {
  return role === 'attempt' ? queue.attempt?.start : undefined;
}

function said(column: Column | undefined): string | undefined {
  return column && propertyName(column.name.text);
}

function named(column: Column | undefined): string {
  return column === undefined ? 'no column' : `"${column.name.text}"`;
}

function clockDifferences(first: Queue, other: Queue): readonly Diagnostic[] {
  if (first.clock === other.clock) return [];
  const [host, database] = first.clock === 'host' ? [first, other] : [other, first];
  const annotation = annotationNamed(host.table.annotations, 'clock');
  return [
    {
      code: 'clock-differs',
      severity: 'error',
      message: `the clock is the host's on ${host.dialect} and the database's on ${database.dialect}`,
      span: annotation?.span ?? host.table.name.span,
      help: 'write @clock host above both tables, or above neither',
      related: { span: database.table.name.span, message: `the table on ${database.dialect}` },
    },
  ];
}

function differ(
  message: string,
  span: Span,
  related: { readonly span: Span; readonly message: string },
): Diagnostic {
  return {
    code: 'columns-differ',
    severity: 'error',
    message,
    span,
    help: 'one class serves both dialects only where their rows are the same; else generate them into two folders',
    related,
  };
}
