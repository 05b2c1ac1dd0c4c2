import type { Result } from '../source/diagnostic.js';
import { lex, type LexicalRules } from '../source/lexer.js';
import type { Span } from '../source/source.js';
import type { Token } from '../source/token.js';
import type { LockFragment } from './queue.js';
import type { SqlFragment } from './sql-fragment.js';
import type { Traits } from './traits.js';

/**
 * Cuts the author's lock expression at its `:key`s. It stands inside a statement of ours, so it must
 * be one balanced expression: no semicolon, no comment, no comma outside of parentheses, no bind
 * marker of its own, nothing that never ends. Finds `sql-fragment-invalid`.
 *
 * Beyond that it is trusted like code, and the database is who reads it.
 */
export function lockFragmentOf(
  { annotation, span }: SqlFragment,
  rules: LexicalRules,
  { bindMarks }: Traits,
): Result<LockFragment> {
  const wrong = (message: string, place: Span, help: string): Result<never> => ({
    diagnostics: [
      {
        code: 'sql-fragment-invalid',
        severity: 'error',
        message: `@${annotation.name} ${message}`,
        span: place,
        help,
      },
    ],
  });
  const tokens = lex(span.source, rules, span);
  if (tokens.length === 0) return wrong('says nothing', annotation.span, example);
  const problem = tokens.map((token) => problemOf(token, bindMarks)).find(isFound);
  if (problem !== undefined) return wrong(problem.message, problem.span, problem.help);
  const loose = looseToken(tokens);
  if (loose !== undefined) {
    return loose.text === ','
      ? wrong('is more than one expression', loose.span, 'keep the one that answers true or false')
      : wrong(`has a ${loose.text} without its partner`, loose.span, 'balance the parentheses');
  }
  const keys = tokens.filter(isKey);
  if (keys.length === 0)
    return wrong('has no :key, so it would be one lock for all rows', span, example);
  const starts = [span.start, ...keys.map((key) => key.span.end)];
  const ends = [...keys.map((key) => key.span.start), span.end];
  const value = starts.map((start, index) => span.source.text.slice(start, ends[index]));
  return { value, diagnostics: [] };
}

const example = 'write one expression with the key in it, such as `@lock take_lock(:key)`';

interface Problem {
  readonly message: string;
  readonly span: Span;
  readonly help: string;
}

function isFound(problem: Problem | undefined): problem is Problem {
  return problem !== undefined;
}

function isKey({ kind, text }: Token): boolean {
  return kind === 'placeholder' && text === ':key';
}

/** What one token must not be. */
function problemOf(token: Token, bindMarks: string): Problem | undefined {
  const { kind, text, span } = token;
  if (token.unterminated === true) {
    return { message: 'has something that never ends', span, help: 'close the quotes' };
  }
  switch (kind) {
    case 'terminator':
      return {
        message: 'has a semicolon',
        span,
        help: 'write one expression, and nothing behind it',
      };
    case 'comment':
    case 'gate':
      return { message: 'has a comment', span, help: 'put it on a line of its own' };
    case 'client':
      return { message: 'has a command of a shell', span, help: 'write one expression' };
    case 'placeholder':
      if (isKey(token)) return undefined;
      return { message: `has ${text}, which is not bound`, span, help: markHelp };
    case 'symbol':
      if (!bindMarks.includes(text)) return undefined;
      return { message: `has a bind marker of its own`, span, help: markHelp };
    default:
      return undefined;
  }
}

const markHelp = "only :key is bound: it is the text of the row's key";

/** A comma outside of parentheses, or a parenthesis without its partner. */
function looseToken(tokens: readonly Token[]): Token | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'symbol') continue;
    if (token.text === '(' || token.text === '[') open.push(token);
    else if (token.text === ')' || token.text === ']') {
      const partner = token.text === ')' ? '(' : '[';
      if (open.pop()?.text !== partner) return token;
    } else if (token.text === ',' && open.length === 0) return token;
  }
  return open.at(-1);
}
