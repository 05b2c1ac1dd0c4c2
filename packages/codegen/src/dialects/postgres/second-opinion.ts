import { createRequire } from 'node:module';
import type { CreateColumnDef, DataTypeDef, Statement } from 'pgsql-ast-parser';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { sqlOf } from '../../source/token.js';
import type { ColumnType, Table } from '../../table/table.js';
import { normalisedDdl, writtenType } from '../ddl/normalised-ddl.js';
import { opinionOn, type Opinion, type OpinionColumn, type OpinionParser } from '../ddl/opinion.js';
import { knownType } from './type-names.js';

/**
 * What pgsql-ast-parser makes of the same statement: as written, else with only columns and key, else
 * with stand-ins for types and defaults. It reads 94 of 100 real tables as they are written.
 */
export function secondOpinion(statement: SourceStatement, table: Table): readonly Diagnostic[] {
  const columnsAndKey = { type: writtenType, default: (sql: string) => sql };
  const standIns = { type: () => 'text', default: () => "'x'" };
  const texts = [
    { sql: () => sqlOf(statement.tokens), standIns: false },
    { sql: () => normalisedDdl(table, columnsAndKey, quoteAlways), standIns: false },
    { sql: () => normalisedDdl(table, standIns, quoteAlways), standIns: true },
  ];
  return opinionOn(table, parser, texts, (name) => name);
}

const parser: OpinionParser = {
  name: 'pgsql-ast-parser',
  read(sql) {
    const [statement] = load()(sql);
    return statement?.type === 'create table' ? opinionOf(statement) : undefined;
  },
};

type Parse = (sql: string) => readonly Statement[];

let loaded: Parse | undefined;

/** Loads the parser with the first annotated table, not with the program. */
function load(): Parse {
  loaded ??= (createRequire(import.meta.url)('pgsql-ast-parser') as { readonly parse: Parse })
    .parse;
  return loaded;
}

function opinionOf(statement: Extract<Statement, { type: 'create table' }>): Opinion {
  const columns = statement.columns.filter((column) => column.kind === 'column');
  const key = statement.constraints?.find(({ type }) => type === 'primary key');
  const inline = columns.filter((column) => has(column, 'primary key'));
  return {
    columns: columns.map(columnOf),
    primaryKey:
      key !== undefined && 'columns' in key
        ? key.columns.map(({ name }) => name)
        : inline.map(({ name }) => name.name),
  };
}

function columnOf(column: CreateColumnDef): OpinionColumn {
  const type = typeOf(column.dataType);
  const identity = column.constraints?.some(
    (constraint) => constraint.type === 'add generated' && !('expression' in constraint),
  );
  return {
    name: column.name.name,
    notNull: has(column, 'not null') || identity === true || type.serial,
    ...(type.type !== undefined && { type: { written: type.written, type: type.type } }),
  };
}

function has({ constraints }: CreateColumnDef, type: string): boolean {
  return constraints?.some((constraint) => constraint.type === type) === true;
}

function typeOf(definition: DataTypeDef): {
  readonly written: string;
  readonly type?: ColumnType;
  readonly serial: boolean;
} {
  if (definition.kind === 'array') {
    const { written } = typeOf(definition.arrayOf);
    return { written: `${written}[]`, type: { kind: 'unknown' }, serial: false };
  }
  const { name, schema, doubleQuoted } = definition;
  const written = schema === undefined ? name : `${schema}.${name}`;
  // A type in a schema may be an extension's, and the parser calls `time without time zone` a
  // timestamp: neither says anything.
  const elsewhere = schema !== undefined && schema !== 'pg_catalog';
  if (elsewhere || name.endsWith('time zone')) return { written, serial: false };
  const known = knownType(name, doubleQuoted === true);
  return { written, type: known?.type ?? { kind: 'unknown' }, serial: known?.serial === true };
}

function quoteAlways(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
