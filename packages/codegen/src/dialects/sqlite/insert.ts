import type { InsertColumn, QueueTable } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { quote } from './quote.js';
import { statement, type Value } from './statement.js';
import { keySql, tableSql } from './table-sql.js';

/**
 * Inserts one row. A column that has a default takes two cells: whether it was given, and what.
 */
export function insertStatement(queue: QueueTable): Statement {
  return statement((value) => {
    const targets = targetsOf(queue, value);
    const row =
      targets.length === 0
        ? 'DEFAULT VALUES'
        : `(${targets.map(({ name }) => name).join(', ')})
VALUES (${targets.map(({ value }) => value).join(', ')})`;
    return `
INSERT INTO ${tableSql(queue)} ${row}
RETURNING ${keySql(queue)}`;
  });
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

function targetOf({ column, flagged }: InsertColumn, cell: () => string): Target {
  const name = quote(column.name.text);
  if (!flagged) return { name, value: cell() };
  const otherwise = column.default?.sql ?? 'NULL';
  return { name, value: `CASE WHEN ${cell()} THEN ${cell()} ELSE ${otherwise} END` };
}
