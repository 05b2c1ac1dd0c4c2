import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/dialects/dialect.js';
import { postgres } from '../../src/dialects/postgres/index.js';
import { sqlite } from '../../src/dialects/sqlite/index.js';
import { splitStatements } from '../../src/source/statements.js';
import type { Column, Table } from '../../src/table/table.js';
import { queueOf, read } from './reading.js';

/** What is said of a statement if our reader had read it as `changed`. */
function opinion(
  dialect: Dialect,
  sql: string,
  changed: (table: Table) => Table,
): readonly string[] {
  const source = { path: 'x.sql', text: sql };
  const [statement] = splitStatements(source, dialect.lexicalRules).statements;
  const table = statement && dialect.readTable(statement).value;
  if (statement === undefined || table === undefined) throw new Error(sql);
  return dialect
    .secondOpinion(statement, changed(table))
    .map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}

const same = (table: Table): Table => table;

const firstColumn =
  (change: Partial<Column>) =>
  (table: Table): Table => ({
    ...table,
    columns: table.columns.map((column, index) =>
      index === 0 ? { ...column, ...change } : column,
    ),
  });

describe.each([
  { dialect: postgres, parser: 'pgsql-ast-parser' },
  { dialect: sqlite, parser: 'node-sql-parser' },
])('$parser', ({ dialect, parser }) => {
  const sql = 'CREATE TABLE t (a INTEGER NOT NULL, b TEXT, PRIMARY KEY (a, b))';

  it('agrees with what was read', () => {
    expect(opinion(dialect, sql, same)).toEqual([]);
  });

  it('warns of other columns, with both readings', () => {
    const short = (table: Table): Table => ({ ...table, columns: table.columns.slice(1) });
    expect(opinion(dialect, sql, short)).toEqual([
      `warning second-opinion the columns read as (b), and ${parser} reads (a, b)`,
    ]);
    const turned = (table: Table): Table => ({ ...table, columns: table.columns.toReversed() });
    expect(opinion(dialect, sql, turned)).toEqual([
      `warning second-opinion the columns read as (b, a), and ${parser} reads (a, b)`,
    ]);
  });

  it('warns of another nullability, type and key', () => {
    const nullable = (table: Table): Table => ({
      ...table,
      columns: table.columns.map(({ notNullSpan: _, ...column }) => ({
        ...column,
        nullable: true,
      })),
    });
    expect(opinion(dialect, sql, nullable)).toEqual([
      `warning second-opinion column "a" reads as nullable, and ${parser} reads NOT NULL`,
    ]);
    const [wrongType] = opinion(dialect, sql, firstColumn({ type: { kind: 'json' } }));
    expect(wrongType?.toLowerCase()).toBe(
      `warning second-opinion column "a" reads as json, and ${parser} reads integer (integer)`,
    );
    expect(opinion(dialect, sql, (table) => ({ ...table, primaryKey: ['a'] }))).toEqual([
      `warning second-opinion the primary key reads as (a), and ${parser} reads (a, b)`,
    ]);
  });

  it('is only a note where it cannot read the table at all', () => {
    const columns = Array.from({ length: 3_000 }, (_, index) => `column_${index} INTEGER`);
    expect(opinion(dialect, `CREATE TABLE t (${columns.join(', ')})`, same)).toEqual([
      `note second-opinion-unavailable table "t" was read without a second opinion: ${parser} cannot read it`,
    ]);
  });
});

describe('what the parsers cannot read as it is written', () => {
  it.each([
    'a int REFERENCES p ON DELETE CASCADE DEFERRABLE',
    'a text NOT NULL COLLATE "C"',
    'a public.geometry(Point,4326)',
    'a text DEFAULT $$x$$',
    'a interval day to second(3)',
    'a int, EXCLUDE USING gist (a WITH =)',
    'a int array',
    'a text COMPRESSION lz4 DEFAULT upper(trim(both from $q$x$q$))',
    'a time without time zone, b time(3) with time zone',
  ])('is read in a simpler form by PostgreSQL’s: %s', (body) => {
    const { diagnostics } = read(
      postgres,
      `-- @inbox\nCREATE TABLE t (${body}) WITH (fillfactor = 9);`,
    );
    expect(diagnostics).toEqual([]);
  });

  it.each([
    'a CLOB, b BINARY(16), c ANY, d JSONB, e UUID, f own_type',
    'a UNSIGNED BIG INT, b DOUBLE PRECISION',
    '[a b] INT REFERENCES p',
    'a TEXT UNIQUE ON CONFLICT REPLACE, b INTEGER PRIMARY KEY DESC',
    "a INT DEFAULT (unixepoch('subsec') * 1000), b TEXT NOT NULL NULL",
    'a, b NOT NULL',
    'left INT, session TEXT',
  ])('is read in a simpler form by SQLite’s: %s', (body) => {
    expect(read(sqlite, `-- @inbox\nCREATE TABLE t (${body});`).diagnostics).toEqual([]);
  });

  it('is no matter to the columns that were read', () => {
    expect(queueOf(sqlite, 'a CLOB, b ANY').columns).toHaveLength(2);
  });
});
