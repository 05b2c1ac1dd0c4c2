import type { InsertColumn, QueueTable } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { cellOf } from './cells.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { tableSql } from './table-sql.js';

/**
 * Inserts any number of rows with one text: an array a cell, unnested in order. Values cross as
 * text and are cast without a length, so that a value too long is refused, not cut. A column that
 * has a default takes two cells: whether it was given, and what.
 */
export function insertStatement(queue: QueueTable): Statement {
  const targets = targetsOf(queue);
  const into = targets.length === 0 ? '' : ` (${targets.map(({ name }) => name).join(', ')})`;
  const values = targets.map((target) => `\n  ${target.value}`).join(',');
  const keys = queue.key.map((column) => cellOf(column, quote(column.name.text)));
  return statement(
    (value) => `
INSERT INTO ${tableSql(queue)}${into}
SELECT${values}
FROM ${rowsSql(queue, value)}
ORDER BY inbox_new.n
RETURNING ${keys.join(', ')}`,
  );
}

interface Target {
  readonly name: string;
  readonly value: string;
}

function targetsOf({ insertColumns, attempt }: QueueTable): readonly Target[] {
  let cells = 0;
  const cell = (): string => `inbox_new.column${++cells}`;
  const given = insertColumns.map((insertColumn) => targetOf(insertColumn, cell));
  if (attempt === undefined || attempt.column.default !== undefined) return given;
  return [...given, { name: quote(attempt.column.name.text), value: String(attempt.start) }];
}

/**
 * Both branches are cast to the column's type: a CASE would else give the value that was given the
 * type that fits the default, and a bigint next to a float default would lose digits.
 */
function targetOf({ column, flagged }: InsertColumn, cell: () => string): Target {
  const name = quote(column.name.text);
  if (!flagged) return { name, value: `${cell()}::${column.castType}` };
  const given = `WHEN ${cell()} THEN ${cell()}::${column.castType}`;
  const otherwise =
    column.default === undefined ? '' : ` ELSE (${column.default.sql})::${column.castType}`;
  return { name, value: `CASE ${given}${otherwise} END` };
}

/** The rows to insert as `inbox_new`; where a table takes no value at all, only their number. */
function rowsSql({ insertColumns }: QueueTable, value: Value): string {
  const types = insertColumns.flatMap(({ flagged }) => (flagged ? ['boolean', 'text'] : ['text']));
  if (types.length === 0) {
    return `generate_series(1, ${value('limit')}::bigint) AS inbox_new (n)`;
  }
  const arrays = types.map((type, index) => `${value(`column${index + 1}`)}::${type}[]`);
  const names = types.map((_, index) => `column${index + 1}`);
  return `unnest(${arrays.join(', ')})
  WITH ORDINALITY AS inbox_new (${names.join(', ')}, n)`;
}
