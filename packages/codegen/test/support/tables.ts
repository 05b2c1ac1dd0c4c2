import type { Annotation, AnnotationSet } from '../../src/source/annotations.js';
import type { Source, Span } from '../../src/source/source.js';
import type { Column, ColumnType, DialectName, Name, Table } from '../../src/table/table.js';

/** A column to build: its name and what differs from a nullable column of text. */
export interface ColumnInput extends Partial<Omit<Column, 'name' | 'default' | 'annotations'>> {
  readonly name: string;
  readonly default?: string;
  readonly annotations?: readonly string[];
  readonly description?: readonly string[];
}

/** A table to build: what its comment says, its columns, its key (default: the column `id`). */
export interface TableInput {
  readonly dialect?: DialectName;
  readonly schema?: string;
  readonly name?: string;
  readonly annotations?: readonly string[];
  readonly description?: readonly string[];
  readonly columns: readonly ColumnInput[];
  readonly primaryKey?: readonly string[];
}

/**
 * A table as the front end would make it. Its source lists its parts, a line each, so that every
 * part has a place of its own.
 */
export function tableOf(input: TableInput): Table {
  const parts: string[] = [];
  const text = partsOf(input).join('\n');
  const source: Source = { path: `${input.dialect ?? 'postgres'}.sql`, text };
  const place = (part: string): Span => {
    const start = text.indexOf(part, parts.join('\n').length);
    return { source, start, end: start + part.length };
  };
  const name = (word: string): Name => ({ text: word, quoted: false, span: place(word) });
  const set = (
    lines: readonly string[] = [],
    description: readonly string[] = [],
  ): AnnotationSet => ({
    annotations: lines.map((line) => annotationOf(line, place(line))),
    description,
  });
  const annotations = set(input.annotations ?? ['@inbox lease'], input.description);
  const tableName = name(input.name ?? 'report_jobs');
  const columns = input.columns.map((column): Column => {
    const { default: sql, name: word, description, annotations: said, ...rest } = column;
    const columnSet = set(said, description);
    const span = place(word);
    parts.push(...(said ?? []));
    return {
      type: text_,
      castType: 'text',
      typeSpan: span,
      nullable: true,
      ddl: `${word} TEXT`,
      span,
      ...rest,
      name: { text: word, quoted: false, span },
      annotations: columnSet,
      ...(sql !== undefined && { default: { sql, span } }),
    };
  });
  return {
    dialect: input.dialect ?? 'postgres',
    ...(input.schema !== undefined && { schema: name(input.schema) }),
    name: tableName,
    columns,
    primaryKey: input.primaryKey ?? ['id'],
    annotations,
    span: { source, start: 0, end: text.length },
  };
}

const text_: ColumnType = { kind: 'text' };

function partsOf(input: TableInput): readonly string[] {
  return [
    ...(input.annotations ?? ['@inbox lease']),
    ...(input.schema === undefined ? [] : [input.schema]),
    input.name ?? 'report_jobs',
    ...input.columns.flatMap((column) => [...(column.annotations ?? []), column.name]),
  ];
}

function annotationOf(line: string, span: Span): Annotation {
  const [, name = '', argument = ''] = /^@([A-Za-z][\w-]*)\s*(.*)$/.exec(line) ?? [];
  const start = argument === '' ? span.end : span.end - argument.length;
  return { name, argument, span, argumentSpan: { ...span, start } };
}

/** Column types by short names, as tests say them. */
export const types = {
  bigint: { kind: 'integer', bits: 64, unsigned: false },
  integer: { kind: 'integer', bits: 32, unsigned: false },
  smallint: { kind: 'integer', bits: 16, unsigned: false },
  timestamptz: { kind: 'instant', stored: 'zoned', digits: 6 },
  json: { kind: 'json' },
  text: { kind: 'text' },
} as const satisfies Readonly<Record<string, ColumnType>>;

/** The columns of the README's table. */
export const reportColumns: readonly ColumnInput[] = [
  {
    name: 'id',
    type: types.bigint,
    castType: 'bigint',
    nullable: false,
    generated: 'by-default',
    ddl: 'id BIGSERIAL PRIMARY KEY',
  },
  {
    name: 'attempt',
    type: types.smallint,
    castType: 'smallint',
    nullable: false,
    default: '1',
    ddl: 'attempt SMALLINT NOT NULL DEFAULT 1',
  },
  {
    name: 'locked_until',
    type: types.timestamptz,
    castType: 'timestamptz',
    ddl: 'locked_until TIMESTAMPTZ',
  },
  {
    name: 'payload',
    type: types.json,
    castType: 'jsonb',
    nullable: false,
    ddl: 'payload JSONB NOT NULL',
  },
];
