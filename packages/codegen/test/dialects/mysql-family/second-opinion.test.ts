import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/dialects/dialect.js';
import { mariadb } from '../../../src/dialects/mariadb/index.js';
import { mysql } from '../../../src/dialects/mysql/index.js';
import { splitStatements } from '../../../src/source/statements.js';
import type { Table } from '../../../src/table/table.js';
import { readOne } from '../reading.js';

/** What the other parser says of a statement, against what was read, or something else. */
function opinionOn(
  dialect: Dialect,
  sql: string,
  alter: (table: Table) => Table = (table) => table,
): readonly string[] {
  const text = `-- @inbox\n${sql};`;
  const [statement] = splitStatements({ path: 'x.sql', text }, dialect.lexicalRules).statements;
  if (statement === undefined) throw new Error('no statement');
  return dialect
    .secondOpinion(statement, alter(readOne(dialect, text)))
    .map(({ code, message }) => `${code} ${message}`);
}

describe.each([mysql, mariadb])('node-sql-parser on $name', (dialect) => {
  it('finds what was read otherwise', () => {
    const sql =
      'CREATE TABLE jobs (`id` BIGINT UNSIGNED NOT NULL, n TINYINT(1), PRIMARY KEY (`id`))';
    expect(opinionOn(dialect, sql)).toEqual([]);
    const broken = (table: Table): Table => ({
      ...table,
      primaryKey: [],
      columns: table.columns.map(({ notNullSpan: _, ...column }) => ({
        ...column,
        type: { kind: 'text' as const },
      })),
    });
    expect(opinionOn(dialect, sql, broken)).toEqual([
      'second-opinion column "id" reads as nullable, and node-sql-parser reads NOT NULL',
      'second-opinion column "n" reads as text, and node-sql-parser reads boolean (TINYINT)',
      'second-opinion the primary key reads as (), and node-sql-parser reads (id)',
    ]);
    const short = (table: Table): Table => ({ ...table, columns: table.columns.slice(0, 1) });
    expect(opinionOn(dialect, sql, short)).toEqual([
      'second-opinion the columns read as (id), and node-sql-parser reads (id, n)',
    ]);
  });

  it.each([
    'a BOOL, b SERIAL',
    'a INT REFERENCES p, b NATIONAL CHAR(3)',
    "a DATETIME(6) DEFAULT NOW(6) ON UPDATE NOW(6), b VARCHAR(9) BINARY DEFAULT _utf8mb4'x'",
    'a INT CHECK (a > 0), status INT, b JSON, c INT AS (b->>"$.x") VIRTUAL NULL',
    'a INT AUTO_INCREMENT KEY, `b``c` INT NOT NULL NULL',
  ])('is heard on what it cannot read as written: %s', (columns) => {
    const sql = `CREATE TABLE jobs (${columns}) STATS_PERSISTENT=0 PARTITION BY HASH (a)`;
    expect(opinionOn(dialect, sql)).toEqual([]);
  });
});
