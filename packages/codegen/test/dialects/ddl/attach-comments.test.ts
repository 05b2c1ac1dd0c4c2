import { describe, expect, it } from 'vitest';
import { postgres } from '../../../src/dialects/postgres/index.js';
import { sqlite } from '../../../src/dialects/sqlite/index.js';
import { findings, readOne } from '../reading.js';

/** What each column is annotated with, and the table first. */
function placed(text: string, dialect = postgres): readonly string[] {
  const table = readOne(dialect, text);
  const words = [table, ...table.columns].map(({ annotations }) =>
    [...annotations.annotations.map(({ name }) => `@${name}`), ...annotations.description].join(
      ' ',
    ),
  );
  return words;
}

describe('the comments of a table', () => {
  it('stand above it, blank lines and other comments between', () => {
    expect(placed('/* A job. */\n-- @inbox\n\n\nCREATE TABLE t (a int);')).toEqual([
      '@inbox A job.',
      '',
    ]);
  });

  it('stand in its header, or behind its opening parenthesis', () => {
    expect(placed('CREATE TABLE t -- @inbox\n(a int);')).toEqual(['@inbox', '']);
    expect(placed('CREATE TABLE t ( -- @inbox\n  a int\n);')).toEqual(['@inbox', '']);
    expect(placed('CREATE TABLE t ( /* @inbox */\n  a int\n);')).toEqual(['@inbox', '']);
  });

  it('do not stand on the line where the statement before ends', () => {
    expect(findings(postgres, 'SELECT 1; -- @inbox\nCREATE TABLE t (a int);')).toEqual([
      '1:14 annotation-dangling @inbox is attached to nothing: it stands behind the end of a statement',
    ]);
  });
});

describe('the comments of a column', () => {
  const inbox = '-- @inbox\n';

  it('stand beside it, behind its comma or before it', () => {
    expect(placed(`${inbox}CREATE TABLE t (\n  a int, -- @id\n  b int -- @data\n);`)).toEqual([
      '@inbox',
      '@id',
      '@data',
    ]);
    expect(placed(`${inbox}CREATE TABLE t (\n  a int /* @id */,\n  b int /* @data */\n);`)).toEqual(
      ['@inbox', '@id', '@data'],
    );
  });

  it('stand above it', () => {
    expect(
      placed(`${inbox}CREATE TABLE t (\n  -- @id\n  a int,\n\n  /* @data\n   * it */\n  b int\n);`),
    ).toEqual(['@inbox', '@id', '@data it']);
  });

  it('stand in the middle of it', () => {
    expect(
      placed(`${inbox}CREATE TABLE t (\n  a int\n    -- @id\n    NOT NULL, b int\n);`),
    ).toEqual(['@inbox', '@id', '']);
  });

  it('stand before it on its line, in a block', () => {
    expect(placed(`${inbox}CREATE TABLE t (a int, /* @data */ b int);`)).toEqual([
      '@inbox',
      '',
      '@data',
    ]);
    expect(placed(`${inbox}CREATE TABLE t (/* @data */ a int);`)).toEqual(['@inbox', '@data']);
  });

  it('belong to the last of two on a line', () => {
    expect(placed(`${inbox}CREATE TABLE t (\n  a int, b int -- @data\n);`)).toEqual([
      '@inbox',
      '',
      '@data',
    ]);
  });

  it('follow a leading comma', () => {
    expect(
      placed(
        `${inbox}CREATE TABLE t (\n    a int -- @id\n  , b int -- @data\n  -- @data\n  , c int\n);`,
      ),
    ).toEqual(['@inbox', '@id', '@data', '@data']);
  });

  it('are attached in SQLite as in PostgreSQL', () => {
    expect(placed(`${inbox}CREATE TABLE t (\n  [a] INT, -- @id\n  b -- @data\n);`, sqlite)).toEqual(
      ['@inbox', '@id', '@data'],
    );
  });

  it('survive CRLF and a byte order mark', () => {
    const text = `\ufeff${inbox}CREATE TABLE t (\n  -- Text.\n  a int, -- @id\n  b int -- @data\n);`;
    expect(placed(text.replaceAll('\n', '\r\n'))).toEqual(['@inbox', '@id Text.', '@data']);
  });

  it('may hold quotes, semicolons and addresses', () => {
    const text = `${inbox}CREATE TABLE t (\n  a int, -- don't; "x" \`y\` $$ (\n  b int -- me@x.org @id\n);`;
    expect(placed(text)).toEqual(['@inbox', `don't; "x" \`y\` $$ (`, 'me@x.org @id']);
  });
});

describe('annotations that are about nothing', () => {
  const lines = (body: string): readonly string[] =>
    findings(postgres, `-- @inbox\nCREATE TABLE t (\n${body}\n);`);

  it('stand before the closing parenthesis', () => {
    expect(lines('  a int\n  -- @data')).toEqual([
      '4:6 annotation-dangling @data is attached to nothing: no column follows it',
    ]);
  });

  it('stand at a table constraint', () => {
    for (const body of [
      '  a int,\n  PRIMARY KEY (a) -- @id',
      '  a int,\n  -- @id\n  PRIMARY KEY (a)',
    ]) {
      expect(lines(body)[0]).toContain(
        '@id is attached to nothing: it stands at a table constraint',
      );
    }
  });

  it('stand behind the closing parenthesis', () => {
    expect(findings(postgres, '-- @inbox\nCREATE TABLE t (a int) -- @clock host\n;')).toEqual([
      '2:27 annotation-dangling @clock is attached to nothing: it stands behind the closing parenthesis of the table',
    ]);
  });

  it('say something of a column and stand above a table, or the other way round', () => {
    expect(findings(postgres, '-- @inbox\n-- @payload\nCREATE TABLE t (a int);')).toEqual([
      '2:4 annotation-dangling @payload is attached to nothing: it says something of a column, and stands above a table',
    ]);
    expect(lines('  a int -- @clock host')).toEqual([
      '3:12 annotation-dangling @clock is attached to nothing: it says something of a table, and stands at a column',
    ]);
  });

  it('leave other words of constraints alone', () => {
    expect(lines('  a int,\n  -- unique; see x@y.org\n  UNIQUE (a)')).toEqual([]);
  });

  it('misspelt are errors, above the table and inside', () => {
    expect(
      findings(postgres, '-- @inbox\n-- @clok host\nCREATE TABLE t (a int -- @todo\n);'),
    ).toEqual([
      '2:4 annotation-unknown @clok is no annotation',
      '3:26 annotation-unknown @todo is no annotation',
    ]);
  });
});
