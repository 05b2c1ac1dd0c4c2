import type { Dialect } from '../../src/dialects/dialect.js';
import { readTables } from '../../src/dialects/read-tables.js';
import type { Diagnostic, Result } from '../../src/source/diagnostic.js';
import { positionAt } from '../../src/source/source.js';
import type { Column, Table } from '../../src/table/table.js';

/** What a dialect reads of a text. */
export function read(dialect: Dialect, text: string): Result<readonly Table[]> {
  return readTables({ path: 'schema.sql', text }, dialect);
}

/** The one table of a text that has nothing wrong with it. */
export function readOne(dialect: Dialect, text: string): Table {
  const { value = [], diagnostics } = read(dialect, text);
  const serious = diagnostics.filter(({ severity }) => severity !== 'note');
  const [table] = value;
  if (table === undefined || value.length !== 1 || serious.length > 0) {
    throw new Error(`${value.length} tables of:\n${text}\n${serious.map(said).join('\n')}`);
  }
  return table;
}

/** The table of a queue with these elements. */
export function queueOf(dialect: Dialect, body: string, tail = ''): Table {
  return readOne(dialect, `-- @inbox\nCREATE TABLE jobs (${body}) ${tail};`);
}

/** The one column of a table with one. */
export function columnOf(dialect: Dialect, column: string, tail = ''): Column {
  const [first, second] = queueOf(dialect, column, tail).columns;
  if (first === undefined || second !== undefined) throw new Error(`not one column: ${column}`);
  return first;
}

/** A finding as `line:column code message`. */
export function said({ code, message, span }: Diagnostic): string {
  const place = span && positionAt(span.source, span.start);
  return `${place?.line ?? 0}:${place?.column ?? 0} ${code} ${message}`;
}

/** The findings of a text, notes left out. */
export function findings(dialect: Dialect, text: string): readonly string[] {
  return read(dialect, text)
    .diagnostics.filter(({ severity }) => severity !== 'note')
    .map(said);
}
