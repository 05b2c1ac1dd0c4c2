import { describe, expect, it } from 'vitest';
import { lexicalRules as postgres } from '../../src/dialects/postgres/lexical-rules.js';
import { lexicalRules as sqlite } from '../../src/dialects/sqlite/lexical-rules.js';
import type { LexicalRules } from '../../src/source/lexer.js';
import { splitStatements, type SourceStatement } from '../../src/source/statements.js';

function split(text: string, rules: LexicalRules): readonly SourceStatement[] {
  return splitStatements({ path: 'x.sql', text }, rules).statements;
}

function texts(text: string, rules: LexicalRules): readonly string[] {
  return split(text, rules).map(({ span }) => text.slice(span.start, span.end));
}

describe('where a statement ends', () => {
  it('is its semicolon, or the end of the file', () => {
    expect(texts('a; ;; b(;\nc', postgres)).toEqual(['a', 'b(', 'c']);
  });

  it('is no semicolon in a string, a name, a comment or a dollar quote', () => {
    expect(texts(`a ';' ";" /*;*/ --;\n $$;$$ b; c`, postgres)).toHaveLength(2);
  });

  it('is no semicolon in the parentheses of a rule, but is one in those of anything else', () => {
    expect(texts('CREATE OR REPLACE RULE r AS ON INSERT TO t DO (a; b); c', postgres)).toHaveLength(
      2,
    );
    expect(texts('CREATE TABLE t (a int; CREATE TABLE u (b int);', postgres)).toEqual([
      'CREATE TABLE t (a int',
      'CREATE TABLE u (b int)',
    ]);
  });

  it('is no semicolon between BEGIN ATOMIC and END', () => {
    const body = 'BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END';
    expect(texts(`CREATE FUNCTION f() RETURNS int ${body}; b`, postgres)).toHaveLength(2);
    expect(texts('BEGIN; a; END; b', postgres)).toEqual(['BEGIN', 'a', 'END', 'b']);
  });

  it("is no semicolon in a trigger's body, CASE and END included", () => {
    const trigger = `CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN
      UPDATE t SET a = CASE WHEN b THEN 1 ELSE 2 END; -- CREATE TABLE x
      SELECT 1;
    END`;
    expect(texts(`${trigger};\nBEGIN TRANSACTION; b; END; c`, sqlite)).toEqual([
      trigger,
      'BEGIN TRANSACTION',
      'b',
      'END',
      'c',
    ]);
  });

  it('is psql sending what was typed', () => {
    expect(texts('SELECT 1 \\gexec\nb;', postgres)).toEqual(['SELECT 1', 'b']);
    expect(texts('SELECT 1\n\\echo x\n+ 1;', postgres)).toHaveLength(1);
  });
});

describe('the comments of a statement', () => {
  const comments = (text: string, rules: LexicalRules = postgres): readonly string[][] =>
    split(text, rules).map(({ leading, inner, trailing }) =>
      [leading, inner, trailing].map((list) => list.map((comment) => comment.text).join(' ')),
    );

  it('lead it, blank lines or not', () => {
    expect(comments('-- a\n\n\n/* b */\n\nx;')).toEqual([['-- a /* b */', '', '']]);
  });

  it('stand inside it up to its semicolon', () => {
    expect(comments('x -- a\n( /* b */ ) -- c\n;')).toEqual([['', '-- a /* b */ -- c', '']]);
  });

  it('trail it on its line, and lead the next from the line below', () => {
    expect(comments('x; -- a\n-- b\ny;')).toEqual([
      ['', '', '-- a'],
      ['-- b', '', ''],
    ]);
  });

  it('lead the next where that follows on the line', () => {
    expect(comments('x; /* a */ y;')).toEqual([
      ['', '', ''],
      ['/* a */', '', ''],
    ]);
    expect(comments('x; /* a */ -- b\ny;')).toEqual([
      ['', '', '/* a */ -- b'],
      ['', '', ''],
    ]);
  });

  it('are left over behind the last one', () => {
    const { rest } = splitStatements({ path: 'x.sql', text: 'x;\n-- a\n' }, postgres);
    expect(rest.map(({ text }) => text)).toEqual(['-- a']);
  });

  it('are no data of a COPY', () => {
    expect(comments('COPY t FROM stdin;\n-- @inbox\n\\.\n\n-- a\ny;')).toEqual([
      ['', '', ''],
      ['-- a', '', ''],
    ]);
  });
});

it('names what never ends', () => {
  const { unterminated } = splitStatements({ path: 'x.sql', text: "a; 'b" }, postgres);
  expect(unterminated.map(({ text }) => text)).toEqual(["'b"]);
});
