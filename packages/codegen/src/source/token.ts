import type { Source, Span } from './source.js';

/**
 * What a token is. `word` is a bare name or keyword, `name` a quoted name, `terminator` what ends a
 * statement, `client` something that a database's own shell reads and the server never sees (a
 * backslash or dot command, COPY data), `placeholder` a piece of a template that stands for a name,
 * and `gate` the opening or closing of a comment that a server reads as code.
 */
export type TokenKind =
  | 'word'
  | 'name'
  | 'string'
  | 'number'
  | 'symbol'
  | 'placeholder'
  | 'terminator'
  | 'comment'
  | 'gate'
  | 'client';

/** A piece of SQL with its place. Nothing of the source but white space stands between two tokens. */
export interface Token {
  readonly kind: TokenKind;
  /** The token as written. */
  readonly text: string;
  /** What it means: a name unquoted or folded by the dialect's rule, a string's contents. */
  readonly value: string;
  readonly span: Span;
  /** A string, quoted name or comment that the end of the file cut off. */
  readonly unterminated?: true;
}

/** Whether a token is this bare word, in upper case. A quoted word never is. */
export function isWord(token: Token | undefined, word: string): boolean {
  return (
    token?.kind === 'word' && token.text.length === word.length && token.text.toUpperCase() === word
  );
}

/** Whether tokens from `at` on are these bare words, in upper case. */
export function areWords(tokens: readonly Token[], at: number, ...words: string[]): boolean {
  return words.every((word, index) => isWord(tokens[at + index], word));
}

/** Whether a token is this symbol. */
export function isSymbol(token: Token | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol;
}

/** The stretch from the first token to the last. */
export function spanOf(source: Source, first: Token, last: Token): Span {
  return { source, start: first.span.start, end: last.span.end };
}

/**
 * Tokens as SQL on one line: comments out, white space folded to a blank, and a blank only where
 * something stood between two tokens, since `: :` is no cast. Two strings on two lines stay on two
 * lines: only there does SQL read them as one.
 */
export function sqlOf(tokens: readonly Token[]): string {
  let sql = '';
  let before: Token | undefined;
  for (const token of tokens) {
    if (token.kind === 'comment' || token.kind === 'gate') continue;
    sql += gapBetween(before, token) + token.text;
    before = token;
  }
  return sql;
}

function gapBetween(left: Token | undefined, right: Token): string {
  if (left === undefined || left.span.end === right.span.start) return '';
  const strings = left.kind === 'string' && right.kind === 'string';
  const gap = right.span.source.text.slice(left.span.end, right.span.start);
  return strings && /[\n\r]/.test(gap) ? '\n' : ' ';
}
