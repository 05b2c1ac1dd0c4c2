import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../src/dialects/recognise.js';
import { said } from './reading.js';

const of = (text: string): string => {
  const { value, diagnostics } = dialectsOf({ path: 'x.sql', text });
  return value?.join() ?? diagnostics.map(said).join('; ');
};

describe('@dialect', () => {
  it.each([
    ['-- @dialect sqlite\nCREATE TABLE t (a int);', 'sqlite'],
    ['-- @dialect sqlite, postgres\nCREATE TABLE t (a int);', 'postgres,sqlite'],
    ['/* @dialect mysql mariadb */\n\nSET x = 1;', 'mysql,mariadb'],
    ['# @dialect mysql\nSET x = 1;', 'mysql'],
    ['SET x = 1;\n-- @dialect sqlite\nCREATE TABLE t (a jsonb);', 'sqlite'],
    ['-- @dialect sqlite\n', 'sqlite'],
    [
      '-- @dialect sqlite\nCREATE TABLE t (a int);\n-- @dialect sqlite\nCREATE TABLE u (a int);',
      'sqlite',
    ],
  ])('says it: %s', (text, dialects) => {
    expect(of(text)).toBe(dialects);
  });

  it.each([
    ['postgress', 'postgres'],
    ['postgresql', 'postgres'],
    ['sqlite3', 'sqlite'],
    ['MySQL', 'mysql'],
  ])('of a name that is no database asks for the right one: %s', (written, meant) => {
    const text = `-- @dialect ${written}\nCREATE TABLE t (a int);`;
    const { value, diagnostics } = dialectsOf({ path: 'x.sql', text });
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([
      {
        code: 'dialect-unknown',
        help: `did you mean \`${meant}\`?`,
        span: { start: 12, end: 12 + written.length },
      },
    ]);
  });

  it('of nothing, or of two different things, is an error', () => {
    expect(of('-- @dialect\nSELECT 1;')).toBe('1:4 annotation-argument @dialect names no database');
    expect(of('-- @dialect sqlite\n-- @dialect postgres\nSELECT 1;')).toBe(
      '2:4 annotation-duplicate @dialect says two different things of one file',
    );
  });

  it('goes before what was asked for, and that before the marks', () => {
    const asked = ['postgres'] as const;
    const source = (text: string) => ({ path: 'x.sql', text });
    expect(dialectsOf(source('-- @dialect sqlite\nSELECT 1;'), asked).value).toEqual(['sqlite']);
    expect(dialectsOf(source('PRAGMA x;'), asked).value).toEqual(['postgres']);
  });
});

describe('the DDL itself', () => {
  it.each([
    ['CREATE TABLE t (a BIGSERIAL)', 'postgres'],
    ['CREATE TABLE t (a int, b timestamptz NOT NULL)', 'postgres'],
    ["CREATE TABLE t (a text DEFAULT 'x'::text)", 'postgres'],
    ['CREATE TABLE t (a jsonb)', 'postgres'],
    ['CREATE TABLE t (a text[])', 'postgres'],
    ['CREATE TABLE t (a bigint GENERATED ALWAYS AS IDENTITY)', 'postgres'],
    ['CREATE TABLE t (a timestamp with time zone)', 'postgres'],
    ['DO $$ BEGIN END $$', 'postgres'],
    ['CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)', 'sqlite'],
    ['CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID', 'sqlite'],
    ['CREATE TABLE t (a TEXT) STRICT', 'sqlite'],
    ['CREATE TABLE t (a TEXT) WITHOUT ROWID, STRICT', 'sqlite'],
    ['PRAGMA journal_mode = WAL', 'sqlite'],
    ['CREATE TABLE [t] ([a] INT)', 'sqlite'],
    ['CREATE TABLE t (a INT DEFAULT (unixepoch()), b BLOB)', 'sqlite'],
    ['CREATE TABLE t (a INET6)', 'mariadb'],
  ])('says it: %s', (text, dialect) => {
    expect(of(text)).toBe(dialect);
  });

  it.each([
    ['CREATE TABLE t (a int)', ''],
    ['SELECT 1', ''],
    ['', ''],
    ['CREATE TABLE `t` (a int)', ': it fits mysql and mariadb and sqlite'],
    ['CREATE TABLE t (a int AUTO_INCREMENT) ENGINE=InnoDB', ': it fits mysql and mariadb'],
    ['CREATE TABLE t (serial TEXT, pragma INT, a TEXT)', ''],
    ["INSERT INTO t VALUES ('AUTOINCREMENT')", ''],
    ['-- AUTOINCREMENT\nSELECT 1', ''],
  ])('does not always: %s', (text, more) => {
    expect(of(text)).toBe(
      `1:1 dialect-unrecognised this file does not say which database it is for${more}`,
    );
  });

  it('may point at two databases, and then both places are shown', () => {
    const text = 'CREATE TABLE t (\n  a INTEGER PRIMARY KEY AUTOINCREMENT,\n  b JSONB\n)';
    const { diagnostics } = dialectsOf({ path: 'x.sql', text });
    expect(diagnostics).toMatchObject([
      {
        code: 'dialect-unrecognised',
        message: 'this file cannot be for one database: AUTOINCREMENT and JSONB',
        related: { message: 'AUTOINCREMENT' },
      },
    ]);
  });
});
