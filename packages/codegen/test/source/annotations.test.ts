import { describe, expect, it } from 'vitest';
import { lexicalRules } from '../../src/dialects/postgres/lexical-rules.js';
import { annotationWord, annotationWords } from '../../src/source/annotation-words.js';
import { readComments, type CommentReading } from '../../src/source/annotations.js';
import { lex } from '../../src/source/lexer.js';
import { strayAnnotations } from '../../src/source/stray-annotations.js';

const comments = (text: string) =>
  lex({ path: 'x.sql', text }, lexicalRules).filter(({ kind }) => kind === 'comment');

const read = (text: string): CommentReading => readComments(comments(text));

const pairs = (text: string): readonly (readonly [string, string])[] =>
  read(text).annotations.map(({ name, argument }) => [name, argument]);

describe('an annotation', () => {
  it('starts its line and runs to its end', () => {
    expect(pairs('-- @inbox   lease  RenderReport \t\n-- @payload\n')).toEqual([
      ['inbox', 'lease  RenderReport'],
      ['payload', ''],
    ]);
  });

  it('stands in a block comment too, behind a decoration or not', () => {
    expect(pairs('/* @inbox lease */')).toEqual([['inbox', 'lease']]);
    expect(pairs('/**\n * Text.\n * @inbox lease\r\n   @clock host\n **/')).toEqual([
      ['inbox', 'lease'],
      ['clock', 'host'],
    ]);
    expect(pairs('/**@inbox*/')).toEqual([['inbox', '']]);
  });

  it('needs no blank before it, and may have more dashes', () => {
    expect(pairs('--@inbox lease\n')).toEqual([['inbox', 'lease']]);
    expect(pairs('---- @inbox lease\n')).toEqual([['inbox', 'lease']]);
  });

  it('has exact spans, in any kind of comment and with any line end', () => {
    for (const text of [
      '-- @inbox lease Job  \nx',
      '/* A\r\n * @inbox lease Job\r\n */ x',
      '  /** @inbox lease Job */',
      '/* é\r@inbox lease Job\r*/',
    ]) {
      const [annotation] = read(text).annotations;
      const { span, argumentSpan } = annotation ?? { span: undefined, argumentSpan: undefined };
      expect(text.slice(span?.start, span?.end)).toBe('@inbox lease Job');
      expect(text.slice(argumentSpan?.start, argumentSpan?.end)).toBe('lease Job');
    }
  });

  it('without an argument has an empty span for it, behind the word', () => {
    const text = '-- @inbox  \n';
    const [annotation] = read(text).annotations;
    expect(annotation?.argumentSpan).toMatchObject({ start: 9, end: 9 });
  });

  it('is no line that only mentions one', () => {
    expect(pairs('-- see @inbox lease\n-- mail: x@inbox.org\n')).toEqual([]);
  });

  it('is no address and no package', () => {
    const { annotations, unknown } = read(
      '-- @example.com\n-- @scope/name\n-- @data.com\n-- @me@x.org\n',
    );
    expect([...annotations, ...unknown]).toEqual([]);
  });

  it('of another word is kept apart', () => {
    expect(read('-- @inbx lease\n-- @param {x} y\n').unknown.map(({ name }) => name)).toEqual([
      'inbx',
      'param',
    ]);
  });

  it('may be meant for one dialect', () => {
    expect(pairs("-- @where[sqlite] state = 'x'\n")).toEqual([['where', "[sqlite] state = 'x'"]]);
  });
});

describe('a description', () => {
  it('is every other line, in order and trimmed', () => {
    expect(read('-- A report.  \n-- @inbox\n--   To render.\n').description).toEqual([
      'A report.',
      'To render.',
    ]);
  });

  it('keeps a blank line inside, and none at its ends', () => {
    expect(read('--\n-- A\n--\n-- B\n--\n').description).toEqual(['A', '', 'B']);
  });

  it('is the paragraph nearest to the code, while annotations count from all', () => {
    const text = '-- Licence: MIT\n-- @dialect sqlite\n\n-- A report.\n-- @inbox\n';
    expect(read(text).description).toEqual(['A report.']);
    expect(pairs(text)).toHaveLength(2);
    expect(read(text.replaceAll('\n', '\r\n')).description).toEqual(['A report.']);
    expect(read('-- A\r\n-- B\r\n').description).toEqual(['A', 'B']);
  });

  it.each(['CreateTable', '+goose Up', '+migrate Up', 'migrate:up', '> statement-breakpoint'])(
    "leaves out a tool's mark: %s",
    (mark) => {
      expect(read(`-- ${mark}\n-- A job.\n`).description).toEqual(['A job.']);
    },
  );

  it("leaves out rulers and a dump's headers", () => {
    const header = '--\n-- Name: jobs; Type: TABLE; Schema: public; Owner: app\n--\n';
    expect(read(header).description).toEqual([]);
    expect(read('-- =======\n-- Jobs\n-- -------\n').description).toEqual(['Jobs']);
  });
});

describe('the words', () => {
  it('stand in the table once each', () => {
    const words = annotationWords.map(({ word }) => word);
    expect(new Set(words).size).toBe(words.length);
    expect(annotationWord('locked_until')?.place).toBe('column');
    expect(annotationWord('Inbox')).toBeUndefined();
  });
});

describe('an annotation that is attached to nothing', () => {
  const reason = { why: 'it floats', help: 'tie it' };
  const codes = (text: string, within: 'queue' | 'elsewhere') =>
    strayAnnotations(comments(text), reason, within).map(({ code, help }) => `${code}: ${help}`);

  it('is an error, with its reason', () => {
    const [found] = strayAnnotations(comments('-- @inbox lease'), reason, 'elsewhere');
    expect(found).toMatchObject({
      code: 'annotation-dangling',
      severity: 'error',
      message: '@inbox is attached to nothing: it floats',
      help: 'tie it',
      span: { start: 3, end: 15 },
    });
  });

  it('outside of a queue is none of ours unless nobody else writes it', () => {
    expect(codes('-- @name getJob\n-- @type x\n-- @id\n', 'elsewhere')).toEqual([]);
    expect(codes('-- @name getJob\n', 'queue')).toEqual(['annotation-dangling: tie it']);
  });

  it.each([
    ['@inbx lease', '@inbox'],
    ['@Inbox', '@inbox'],
    ['@lockeduntil', '@locked_until'],
    ['@max-attempts 5', '@max_attempts'],
  ])('misspelt is an error wherever it stands: %s', (text, meant) => {
    expect(codes(`-- ${text}\n`, 'elsewhere')).toEqual([
      `annotation-unknown: did you mean \`${meant}\`?`,
    ]);
  });

  it('that means nothing at all is an error in a queue only', () => {
    expect(codes('-- @param x\n-- @index\n-- @deprecated\n', 'elsewhere')).toEqual([]);
    expect(codes('-- @deprecated\n', 'queue')).toHaveLength(1);
  });
});
