import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { sqlOf } from '../../source/token.js';
import type { Column, Table } from '../../table/table.js';
import { nodeSqlParser, property } from '../ddl/node-sql-parser.js';
import { normalisedDdl, writtenType } from '../ddl/normalised-ddl.js';
import { opinionOn } from '../ddl/opinion.js';
import { nameKey } from './name-key.js';
import { declaredType } from './type-names.js';

/**
 * What node-sql-parser's build for SQLite makes of the same statement: as written, else with only
 * columns and key, else with stand-ins for types and defaults. Its list of types is short, so it
 * reads only 83 of 100 real tables as they are written.
 */
export function secondOpinion(statement: SourceStatement, table: Table): readonly Diagnostic[] {
  const columnsAndKey = { type: writtenType, default: (sql: string) => sql };
  const standIns = { type: standInType, default: () => "'x'" };
  const texts = [
    { sql: () => sqlOf(statement.tokens), standIns: false },
    { sql: () => normalisedDdl(table, columnsAndKey, quoteAlways), standIns: false },
    { sql: () => normalisedDdl(table, standIns, quoteAlways), standIns: true },
  ];
  return opinionOn(table, parser, texts, nameKey);
}

const parser = nodeSqlParser(['sqlite'], (definition) => {
  const written = property(definition, 'dataType');
  return typeof written === 'string' ? { written, type: declaredType(written) } : undefined;
});

/** Nothing for a column without a type, else a type that the parser knows. */
function standInType(column: Column): string {
  return writtenType(column) === '' ? '' : 'TEXT';
}

function quoteAlways(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
