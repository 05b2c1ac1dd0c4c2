import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sqlite } from '../../../src/dialects/sqlite/index.js';
import { quote } from '../../../src/dialects/sqlite/quote.js';
import type { Column, Table } from '../../../src/table/table.js';
import { readOne } from '../reading.js';

/** Tables of every shape that the reader has a rule for, as SQLite takes them. */
const tables: readonly string[] = [
  'CREATE TABLE t (a INTEGER PRIMARY KEY)',
  'CREATE TABLE t (a INTEGER PRIMARY KEY ASC, b)',
  'CREATE TABLE t (a INTEGER PRIMARY KEY DESC, b)',
  'CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT NOT NULL DEFAULT pending)',
  'CREATE TABLE t (a INT PRIMARY KEY, b INTEGER)',
  'CREATE TABLE t (a INTEGER(8) PRIMARY KEY, b INTEGER)',
  'CREATE TABLE t (a "INTEGER" PRIMARY KEY, b INTEGER)',
  'CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a))',
  'CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a DESC))',
  'CREATE TABLE t (a INTEGER, b, PRIMARY KEY (a AUTOINCREMENT))',
  'CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (b, a))',
  'CREATE TABLE t (a INTEGER, b TEXT, PRIMARY KEY (B COLLATE NOCASE DESC, A))',
  'CREATE TABLE t (a TEXT PRIMARY KEY, b) WITHOUT ROWID',
  'CREATE TABLE t (a INTEGER PRIMARY KEY, b) WITHOUT ROWID',
  'CREATE TABLE t (a INTEGER, b TEXT, c ANY, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID',
  'CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB, d REAL, e INT, f ANY) STRICT',
  'CREATE TABLE t (a TEXT PRIMARY KEY, b INTEGER NOT NULL) STRICT',
  'CREATE TABLE t (a TEXT, b INTEGER, PRIMARY KEY (b)) STRICT',
  'CREATE TABLE t (a, b PRIMARY KEY, c NOT NULL, d DEFAULT 1, e CHECK (e > 0))',
  'CREATE TABLE \'t\' (\'a\' INT, [b c] TEXT, `d` TEXT, "e""f" TEXT, g VARCHAR(10, 2))',
  'CREATE TABLE t (a INT, b INT, UNIQUE (a) CHECK (b > 0) PRIMARY KEY (a))',
  'CREATE TABLE t (a INT, b INT AS (a * 2), c INT GENERATED ALWAYS AS (1) STORED NOT NULL)',
  "CREATE TABLE t (a TEXT DEFAULT 'x' NOT NULL, b DEFAULT \"it's\", c DEFAULT -1, d DEFAULT +2)",
  "CREATE TABLE t (a DEFAULT (datetime('now')), b DEFAULT CURRENT_TIMESTAMP, c DEFAULT NULL)",
  "CREATE TABLE t (a DEFAULT X'00ff', b DEFAULT TRUE, c DEFAULT false, d DEFAULT 1.5e3, e DEFAULT `x`)",
  'CREATE TABLE t (a INT REFERENCES p ON DELETE SET NULL, b INT REFERENCES p (x) DEFERRABLE INITIALLY DEFERRED)',
  'CREATE TABLE t (a INT CONSTRAINT n NOT NULL ON CONFLICT ABORT CONSTRAINT u UNIQUE ON CONFLICT IGNORE)',
  'CREATE TABLE t (key TEXT, action INT, "check" INT, session INT, status TEXT, of INT, row INT, plan INT)',
  'CREATE TABLE t (a UNSIGNED BIG INT, b DOUBLE PRECISION, c NATIVE CHARACTER(70), d long varchar (9))',
  'CREATE TABLE t (a INT NOT NULL NULL, b TEXT COLLATE NOCASE NOT NULL, c NULL)',
  'CREATE TABLE t (a INTEGER CONSTRAINT pk PRIMARY KEY CONSTRAINT late, b TEXT)',
  'CREATE TEMP TABLE IF NOT EXISTS t (größe INT /* x */, -- y\n b INT)',
];

interface PragmaColumn {
  readonly name: string;
  readonly type: string;
  readonly dflt_value: string | null;
  readonly pk: number;
  /** 2 and 3: computed. */
  readonly hidden: number;
}

describe.each(tables)('%s', (sql) => {
  const table = readOne(sqlite, `-- @inbox\n${sql};`);
  const open = (): Database.Database => {
    const database = new Database(':memory:');
    database.pragma('foreign_keys = OFF');
    database.exec(sql);
    return database;
  };
  const pragma = (): readonly PragmaColumn[] =>
    open().prepare<[], PragmaColumn>("SELECT * FROM pragma_table_xinfo('t')").all();

  it('has the columns and the key that SQLite reads', () => {
    expect(table.columns.map(({ name }) => name.text)).toEqual(pragma().map(({ name }) => name));
    const key = pragma()
      .filter(({ pk }) => pk > 0)
      .sort((left, right) => left.pk - right.pk)
      .map(({ name }) => name);
    expect(table.primaryKey).toEqual(key);
  });

  it('has computed columns and defaults where SQLite has them', () => {
    expect(table.columns.map((column) => column.generated === 'computed')).toEqual(
      pragma().map(({ hidden }) => hidden === 2 || hidden === 3),
    );
    expect(table.columns.map((column) => column.default !== undefined)).toEqual(
      pragma().map(({ dflt_value }) => dflt_value !== null && dflt_value.toUpperCase() !== 'NULL'),
    );
  });

  it('keeps NULL out of the columns that SQLite keeps it out of', () => {
    for (const column of table.columns.filter(({ generated }) => generated !== 'computed')) {
      expect(takesNull(open(), table, column), column.name.text).toBe(column.nullable);
    }
  });
});

it('gives the defaults that SQLite writes', () => {
  for (const sql of tables) {
    const table = readOne(sqlite, `-- @inbox\n${sql};`);
    const written = table.columns.filter(({ generated }) => generated !== 'computed');
    for (const column of written.filter((each) => each.default !== undefined)) {
      const database = new Database(':memory:');
      database.exec(sql);
      const others = written.filter((other) => other !== column);
      const names = others.map(({ name }) => quote(name.text));
      const given = quote(column.name.text);
      const values = others.map(sampleOf);
      // Once left out, once given as the reader has it; a clock may move on between the two.
      database.exec(
        names.length === 0
          ? 'INSERT INTO t DEFAULT VALUES'
          : `INSERT INTO t (${names.join(', ')}) VALUES (${values.join(', ')})`,
      );
      const left = database.prepare(`SELECT typeof(${given}), ${given} FROM t`).raw().get();
      database.exec(`UPDATE t SET ${given} = ${column.default?.sql ?? ''}`);
      const set = database.prepare(`SELECT typeof(${given}), ${given} FROM t`).raw().get();
      const moves = /now|current_time/i.test(column.default?.sql ?? '');
      expect(moves ? typeIn(set) : set, column.ddl).toEqual(moves ? typeIn(left) : left);
    }
  }
});

function typeIn(row: unknown): unknown {
  return Array.isArray(row) ? row[0] : undefined;
}

/** Whether NULL can be written to a column and is then read back. */
function takesNull(database: Database.Database, table: Table, column: Column): boolean {
  const others = table.columns.filter(
    (other) => other !== column && other.generated !== 'computed',
  );
  const names = [column, ...others].map(({ name }) => quote(name.text));
  const values = ['NULL', ...others.map(sampleOf)];
  try {
    database.exec(`INSERT INTO t (${names.join(', ')}) VALUES (${values.join(', ')})`);
  } catch (error) {
    const message = String(error);
    if (!message.includes('NOT NULL constraint failed')) throw error;
    if (!message.endsWith(`.${column.name.text}`)) throw error;
    return false;
  }
  const value: unknown = database.prepare(`SELECT ${names[0]} FROM t`).pluck().get();
  return value === null;
}

/** A value that a column takes, in a STRICT table too. */
function sampleOf({ type }: Column): string {
  if (type.kind === 'text') return "'x'";
  return type.kind === 'bytes' ? "x'00'" : '1';
}
