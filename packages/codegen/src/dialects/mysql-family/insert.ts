import type { InsertColumn, QueueTable } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import type { ListStatement } from '../statements.js';
import { cellOf, writtenSql } from './cells.js';
import { quote } from './quote.js';
import type { Server } from './server.js';
import { listStatement, type Value } from './statement.js';
import { tableSql } from './table-sql.js';

/**
 * Inserts rows, a group of values each. A column that has a default takes two cells: whether it was
 * given, and what. Where the server cannot answer the rows, `key` says what their keys are.
 */
export function insertStatement(queue: QueueTable, server: Server): ListStatement {
  const names = targetsOf(queue, () => '?').map(({ name }) => name);
  const keys = queue.key.map((column) => cellOf(column, quote(column.name.text)));
  const made = listStatement(
    {
      separator: ',\n  ',
      build: (value) =>
        `(${targetsOf(queue, value)
          .map((target) => target.value)
          .join(', ')})`,
    },
    (_, list) => `
INSERT INTO ${tableSql(queue)} (${names.join(', ')})
VALUES
  ${list}${server.insertReturning ? `\nRETURNING ${keys.join(', ')}` : ''}`,
  );
  return server.insertReturning
    ? made
    : { ...made, key: queue.key.map((column) => sourceOf(column, queue)) };
}

interface Target {
  readonly name: string;
  readonly value: string;
}

function targetsOf({ insertColumns, attempt }: QueueTable, value: Value): readonly Target[] {
  let cells = 0;
  const cell = (): string => value(`column${++cells}`);
  const given = insertColumns.map((insertColumn) => targetOf(insertColumn, cell));
  if (attempt === undefined || attempt.column.default !== undefined) return given;
  return [...given, { name: quote(attempt.column.name.text), value: String(attempt.start) }];
}

/**
 * The default is made text, as the value given is: an IF would else give that value the type that
 * fits the default, and a bigint next to a float default would lose digits.
 */
function targetOf({ column, flagged }: InsertColumn, cell: () => string): Target {
  const name = quote(column.name.text);
  if (!flagged) return { name, value: writtenSql(column, cell()) };
  return { name, value: `IF(${cell()}, ${writtenSql(column, cell())}, ${defaultSql(column)})` };
}

function defaultSql({ type, default: otherwise }: Column): string {
  if (otherwise === undefined) return 'NULL';
  return type.kind === 'bytes' || type.kind === 'unknown'
    ? otherwise.sql
    : `CAST(${otherwise.sql} AS CHAR)`;
}

/** The cell of a new row that holds a column of its key; what the row does not give is numbered. */
function sourceOf(column: Column, { insertColumns }: QueueTable): string {
  const at = insertColumns.findIndex((insertColumn) => insertColumn.column === column);
  if (at === -1) return 'generated';
  const cells = insertColumns
    .slice(0, at + 1)
    .reduce((count, { flagged }) => count + (flagged ? 2 : 1), 0);
  return `column${cells}`;
}
