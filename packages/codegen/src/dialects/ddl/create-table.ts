import type { Result } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { areWords, isSymbol, isWord, spanOf, type Token } from '../../source/token.js';
import type { Name } from '../../table/table.js';
import { readQualifiedName, type NameKinds } from './name.js';
import { cursorOver, groupEnd, splitAt, type Stretch } from './token-cursor.js';
import { unreadable } from './unreadable.js';

/** A CREATE TABLE taken apart at its parentheses and commas. */
export interface CreateTable {
  readonly schema?: Name;
  readonly name: Name;
  readonly open: Token;
  /** A column, a constraint or a LIKE each; none is empty. */
  readonly elements: readonly Stretch[];
  readonly close: Token;
  /** What follows the closing parenthesis. */
  readonly tail: readonly Token[];
}

/** Whether a statement is a CREATE TABLE, of a table that holds rows of its own. */
export function isCreateTable({ tokens }: SourceStatement): boolean {
  return headerLength(tokens) !== undefined;
}

/** How many tokens stand before the table's name; nothing where this is no CREATE TABLE. */
function headerLength(tokens: readonly Token[]): number | undefined {
  if (!isWord(tokens[0], 'CREATE')) return undefined;
  let at = 1;
  while (headerWords.some((word) => isWord(tokens[at], word))) at++;
  if (!isWord(tokens[at], 'TABLE')) return undefined;
  at++;
  return areWords(tokens, at, 'IF', 'NOT', 'EXISTS') ? at + 3 : at;
}

const headerWords = ['OR', 'REPLACE', 'GLOBAL', 'LOCAL', 'TEMP', 'TEMPORARY', 'UNLOGGED'] as const;

/**
 * Takes a CREATE TABLE apart. Fails with `unreadable-table` where a name or a parenthesis is missing,
 * where the name is a template's, and where the columns stand in another place: a query, a parent.
 */
export function openCreateTable(
  statement: SourceStatement,
  nameKinds: NameKinds,
): Result<CreateTable> {
  const tokens = statement.tokens.filter(({ kind }) => kind !== 'gate');
  const first = tokens[0];
  if (first === undefined) return failed('this is no CREATE TABLE', statement.span, '');
  const header = headerLength(tokens) ?? 0;
  const cursor = cursorOver(tokens.slice(header));
  const before = cursor.peek() ?? first;
  const qualified = readQualifiedName(cursor, nameKinds);
  if (qualified === undefined) {
    return failed('the name of the table is missing', before.span, 'write it behind CREATE TABLE');
  }
  if (qualified.kind === 'template') {
    const last = qualified.tokens.at(-1) ?? before;
    return failed(
      'the name of the table is a template',
      spanOf(statement.span.source, before, last),
      'give inbox-gen the SQL as the database gets it, with the template filled in',
    );
  }
  const { kind: _, ...names } = qualified;
  const table = `table "${names.name.text}"`;
  const start = header + cursor.position();
  const open = tokens[start];
  if (!isSymbol(open, '(') || open === undefined) {
    return failed(`${table} ${elsewhere(open)}`, (open ?? names.name).span, writeColumns);
  }
  const end = groupEnd(tokens, start);
  const close = end === undefined ? undefined : tokens[end];
  if (end === undefined || close === undefined) {
    return failed(
      `the parenthesis that opens the columns of ${table} is never closed`,
      open.span,
      'look for a parenthesis, a quote or a semicolon too many or too few below',
    );
  }
  const tail = tokens.slice(end + 1);
  const next = tail.find((token) => isWord(token, 'CREATE'));
  if (next !== undefined) {
    return failed(
      `a semicolon is missing behind ${table}`,
      next.span,
      'write it before this CREATE',
    );
  }
  const query = tail.find((token) => isWord(token, 'AS') || isWord(token, 'SELECT'));
  if (query !== undefined) {
    return failed(`${table} takes its columns from a query`, query.span, writeColumns);
  }
  const inherits = tail.find((token) => isWord(token, 'INHERITS'));
  if (inherits !== undefined) {
    return failed(`${table} takes columns from a parent table`, inherits.span, writeColumns);
  }
  const body = tokens.slice(start + 1, end);
  const elements = splitAt(',', body).filter((element) => element.tokens.length > 0);
  return { value: { ...names, open, elements, close, tail }, diagnostics: [] };
}

const writeColumns = 'write the columns out in this CREATE TABLE: only what stands here is read';

/** What a CREATE TABLE without columns does instead, by the word behind its name. */
function elsewhere(token: Token | undefined): string {
  if (isWord(token, 'AS') || isWord(token, 'SELECT')) return 'takes its columns from a query';
  if (isWord(token, 'PARTITION')) return "is a partition: its columns are its parent table's";
  if (isWord(token, 'LIKE')) return 'takes its columns from another table';
  if (isWord(token, 'OF')) return 'takes its columns from a type';
  return 'has no columns';
}

function failed(message: string, span: SourceStatement['span'], help: string): Result<never> {
  return { diagnostics: [unreadable(message, span, help)] };
}
