import { annotationWord } from '../source/annotation-words.js';
import { readComments } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import { lex } from '../source/lexer.js';
import type { Source } from '../source/source.js';
import { splitStatements, type SourceStatement } from '../source/statements.js';
import {
  danglingAnnotation,
  strayAnnotations,
  type StrayReason,
} from '../source/stray-annotations.js';
import { isSymbol, isWord, type Token } from '../source/token.js';
import type { Table } from '../table/table.js';
import { isCreateTable } from './ddl/create-table.js';
import { referencesIn, withReferences } from './ddl/references.js';
import { unreadable } from './ddl/unreadable.js';
import type { Dialect } from './dialect.js';

/**
 * The tables of a source that are annotated as queues, read by one dialect, with what is wrong with
 * them and with annotations that are attached to nothing. Every other statement is skipped, whatever
 * it holds. A table that cannot be read is left out and is an error. Diagnostics in file order.
 */
export function readTables(source: Source, dialect: Dialect): Result<readonly Table[]> {
  const { statements, rest, unterminated } = splitStatements(source, dialect.lexicalRules);
  const tables: Table[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, statement] of statements.entries()) {
    diagnostics.push(
      ...strayAnnotations(statement.trailing, behindStatement, 'elsewhere'),
      ...noComments(statement),
    );
    if (isCreateTable(statement) && isQueue(statement)) {
      const read = dialect.readTable(statement);
      diagnostics.push(...read.diagnostics);
      if (read.value !== undefined) {
        tables.push(read.value);
        diagnostics.push(...dialect.secondOpinion(statement, read.value));
      }
    } else {
      diagnostics.push(...strayIn(statement, index === 0, dialect));
    }
  }
  diagnostics.push(
    ...strayAnnotations(
      statements.length === 0 ? withoutFileAnnotations(rest) : rest,
      atTheEnd,
      'elsewhere',
    ),
    ...unterminated.filter(({ text }) => queueMark.test(text)).map(neverEnds),
  );
  const references = tables.length === 0 ? [] : referencesIn(statements);
  return {
    value: tables.map((table) => withReferences(table, references)),
    diagnostics: inFileOrder(diagnostics),
  };
}

/**
 * `--@inbox` where a comment's two dashes want a blank behind them: MySQL reads two minus signs and a
 * variable, so the table would silently be no queue.
 */
function noComments({ tokens }: SourceStatement): readonly Diagnostic[] {
  return tokens.flatMap((token, index): readonly Diagnostic[] => {
    if (!isSymbol(token, '-') || !isSymbol(tokens[index + 1], '-')) return [];
    const { source, start } = token.span;
    const word = /^--@(\w+)/.exec(source.text.slice(start, start + 40))?.[1] ?? '';
    if (annotationWord(word) === undefined) return [];
    const span = { source, start, end: start + '--@'.length + word.length };
    const annotation = { name: word, argument: '', span, argumentSpan: span };
    return [danglingAnnotation(annotation, noComment)];
  });
}

const noComment: StrayReason = {
  why: 'here two dashes begin a comment only with a blank behind them',
  help: 'write a blank behind the dashes',
};

/** Whether a comment of a CREATE TABLE makes it a queue. */
function isQueue({ leading, inner }: SourceStatement): boolean {
  return readComments([...leading, ...inner]).annotations.some(
    ({ name }) => annotationWord(name)?.makesQueue === true,
  );
}

/** What the comments of a statement that is no queue must not hold. */
function strayIn(
  statement: SourceStatement,
  first: boolean,
  dialect: Dialect,
): readonly Diagnostic[] {
  const { leading, inner, tokens } = statement;
  if (isCreateTable(statement)) {
    return strayAnnotations([...withoutFileAnnotations(leading), ...inner], noQueue, 'elsewhere');
  }
  const reason: StrayReason = {
    why: `it stands before or in ${nameOfStatement(tokens)}, not a CREATE TABLE`,
    help: 'put it directly above the CREATE TABLE that it is about',
  };
  const bodies = tokens.filter(({ kind, text }) => kind === 'string' && text.startsWith('$'));
  return [
    ...strayAnnotations(first ? withoutFileAnnotations(leading) : leading, reason, 'elsewhere'),
    ...strayAnnotations(inner, reason, 'elsewhere'),
    ...bodies.flatMap((body) => strayInBody(body, nameOfStatement(tokens), dialect)),
  ];
}

/** A table that a function makes is made when the function runs: its DDL is not the schema's. */
function strayInBody(body: Token, statement: string, dialect: Dialect): readonly Diagnostic[] {
  if (!queueMark.test(body.value)) return [];
  const { source, start, end } = body.span;
  const tag = body.text.indexOf('$', 1) + 1;
  const comments = lex(source, dialect.lexicalRules, { start: start + tag, end: end - tag });
  return strayAnnotations(
    comments.filter(({ kind }) => kind === 'comment'),
    {
      why: `it stands inside the body of ${statement}, which is not read`,
      help: 'write the CREATE TABLE as a statement of its own',
    },
    'elsewhere',
  );
}

const queueMark = /@(?:inbox|advisory)\b/;

const behindStatement: StrayReason = {
  why: 'it stands behind the end of a statement',
  help: 'put it directly above the CREATE TABLE that it is about',
};

const atTheEnd: StrayReason = {
  why: 'no statement follows it',
  help: 'put it directly above the CREATE TABLE that it is about',
};

const noQueue: StrayReason = {
  why: 'its table is no queue',
  help: 'write @inbox in a comment directly above the CREATE TABLE',
};

/** The comments that do not speak for the whole file; those that do are read with the dialect. */
function withoutFileAnnotations(comments: readonly Token[]): readonly Token[] {
  return comments.filter((comment) =>
    readComments([comment]).annotations.every(({ name }) => annotationWord(name)?.place !== 'file'),
  );
}

/** `CREATE INDEX`, `ALTER TABLE`, `INSERT`: the statement in the words that people know it by. */
function nameOfStatement(tokens: readonly Token[]): string {
  const words = tokens.slice(0, 6).filter(({ kind }) => kind === 'word');
  const [first, ...others] = words;
  if (first === undefined) return 'a statement';
  if (!verbs.some((verb) => isWord(first, verb))) return first.text.toUpperCase();
  const object = others.find((word) => !modifiers.has(word.text.toUpperCase()));
  return [first, ...(object === undefined ? [] : [object])]
    .map(({ text }) => text.toUpperCase())
    .join(' ');
}

const verbs = ['CREATE', 'ALTER', 'DROP', 'COMMENT'] as const;

const modifiers: ReadonlySet<string> = new Set([
  'OR',
  'REPLACE',
  'UNIQUE',
  'TEMP',
  'TEMPORARY',
  'ON',
]);

function neverEnds({ kind, span }: Token): Diagnostic {
  const what = kind === 'comment' ? 'comment' : kind === 'name' ? 'quoted name' : 'string';
  return unreadable(
    `this ${what} never ends, and an annotated table stands behind it`,
    { ...span, end: span.start + 1 },
    `close it, or look for a stray quote`,
  );
}

function inFileOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((left, right) => (left.span?.start ?? 0) - (right.span?.start ?? 0));
}
