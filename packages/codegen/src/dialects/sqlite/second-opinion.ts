import { createRequire } from 'node:module';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { sqlOf } from '../../source/token.js';
import type { Column, Table } from '../../table/table.js';
import { normalisedDdl, writtenType } from '../ddl/normalised-ddl.js';
import { opinionOn, type Opinion, type OpinionColumn, type OpinionParser } from '../ddl/opinion.js';
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

const parser: OpinionParser = {
  name: 'node-sql-parser',
  read(sql) {
    const ast = load().astify(sql);
    const statement: unknown = Array.isArray(ast) ? ast[0] : ast;
    return opinionOf(statement);
  },
};

interface SqliteParser {
  astify(sql: string): unknown;
}

let loaded: SqliteParser | undefined;

/** Loads the parser, a copy of its one build in our package, with the first annotated table. */
function load(): SqliteParser {
  if (loaded === undefined) {
    const require = createRequire(import.meta.url);
    const { Parser } = require('../../../vendor/node-sql-parser/sqlite.cjs') as {
      readonly Parser: new () => SqliteParser;
    };
    loaded = new Parser();
  }
  return loaded;
}

/** The parser's tree has no types that are true of it; every step is looked at. */
function opinionOf(statement: unknown): Opinion | undefined {
  const definitions = property(statement, 'create_definitions');
  if (!Array.isArray(definitions)) return undefined;
  const elements: readonly unknown[] = definitions;
  const columns = elements.filter((element) => property(element, 'resource') === 'column');
  const key = elements.find(
    (element) => String(property(element, 'constraint_type')).toLowerCase() === 'primary key',
  );
  const inline = columns.filter((column) => property(column, 'primary_key') !== undefined);
  return {
    columns: columns.map(columnOf),
    primaryKey:
      key === undefined
        ? inline.map((column) => nameIn(property(column, 'column')))
        : keyColumns(property(key, 'definition')),
  };
}

function keyColumns(definition: unknown): readonly string[] {
  return Array.isArray(definition) ? definition.map(nameIn) : [];
}

function columnOf(column: unknown): OpinionColumn {
  const written = property(property(column, 'definition'), 'dataType');
  const nullable = property(property(column, 'nullable'), 'type');
  return {
    name: nameIn(property(column, 'column')),
    // A stray NULL behind NOT NULL makes the parser forget it.
    ...(nullable !== 'null' && { notNull: nullable === 'not null' }),
    ...(typeof written === 'string' && { type: { written, type: declaredType(written) } }),
  };
}

/** A column's name, as text or in a reference around it. */
function nameIn(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  const column = property(reference, 'column') ?? property(property(reference, 'expr'), 'value');
  return column === undefined ? '' : nameIn(column);
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found === null ? undefined : found;
}

/** Nothing for a column without a type, else a type that the parser knows. */
function standInType(column: Column): string {
  return writtenType(column) === '' ? '' : 'TEXT';
}

function quoteAlways(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
