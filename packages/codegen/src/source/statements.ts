import { lex, type LexicalRules } from './lexer.js';
import type { Source, Span } from './source.js';
import { areWords, isSymbol, isWord, type Token } from './token.js';

/** One statement of a source and the comments around and in it. */
export interface SourceStatement {
  /** From its first token to its last; the terminator is outside. */
  readonly span: Span;
  /** Its code: no comment, no terminator. Never empty. */
  readonly tokens: readonly Token[];
  /** The comments between the previous statement and this one, blank lines or not. */
  readonly leading: readonly Token[];
  /** The comments inside, up to the terminator. */
  readonly inner: readonly Token[];
  /** The comments behind the terminator that end its line: they belong to nothing. */
  readonly trailing: readonly Token[];
}

/** A source in statements. */
export interface StatementList {
  readonly statements: readonly SourceStatement[];
  /** The comments behind the last statement. */
  readonly rest: readonly Token[];
  /** Strings, names and comments that never end. */
  readonly unterminated: readonly Token[];
}

/**
 * Cuts a source into statements by a dialect's rules, without understanding them: only what a
 * semicolon inside of them can mean is known. What the database's shell reads is left out.
 */
export function splitStatements(source: Source, rules: LexicalRules): StatementList {
  const tokens = lex(source, rules);
  const statements: SourceStatement[] = [];
  let leading: Token[] = [];
  let open: OpenStatement | undefined;

  const close = (statement: OpenStatement, behind: number): void => {
    const trailing = trailingComments(source, tokens, behind);
    const { tokens: code, leading: before, inner } = statement;
    const span = spanFor(source, code);
    statements.push({ span, tokens: code, leading: before, inner, trailing });
    open = undefined;
  };

  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    if (token.kind === 'comment') {
      (open === undefined ? leading : open.inner).push(token);
    } else if (token.kind === 'client') {
      if (open !== undefined && sendCommand.test(token.text)) close(open, index);
    } else if (token.kind !== 'terminator') {
      open ??= { tokens: [], leading, inner: [], depth: 0, parentheses: 0 };
      leading = [];
      open.tokens.push(token);
      follow(open, token, rules);
    } else if (open === undefined) {
      continue;
    } else if (token.text === ';' && isInside(open, rules)) {
      open.tokens.push(token);
    } else {
      close(open, index);
      index += statements.at(-1)?.trailing.length ?? 0;
    }
  }
  if (open !== undefined) close(open, tokens.length);
  return { statements, rest: leading, unterminated: tokens.filter((token) => token.unterminated) };
}

/** The psql commands that send what has been typed: `\g`, `\gexec`, `\watch`, `\;`. */
const sendCommand = /^\\(?:g|;|crosstabview|watch|bind|parse)/;

interface OpenStatement {
  readonly tokens: Token[];
  readonly leading: readonly Token[];
  readonly inner: Token[];
  /** How many BEGIN and CASE are open. */
  depth: number;
  parentheses: number;
}

/** Counts what a token opens or closes. */
function follow(open: OpenStatement, token: Token, rules: LexicalRules): void {
  if (isSymbol(token, '(')) open.parentheses++;
  else if (isSymbol(token, ')')) open.parentheses--;
  if (token.kind !== 'word') return;
  const { tokens } = open;
  const opener = rules.bodies.opener;
  const afterEnd = isWord(tokens.at(-2), 'END');
  if (areWords(tokens, tokens.length - opener.length, ...opener)) open.depth++;
  else if (afterEnd && loops.has(token.text.toUpperCase())) open.depth++;
  else if (open.depth === 0) return;
  else if (isWord(token, 'CASE') && !afterEnd) open.depth++;
  else if (isWord(token, 'END')) open.depth--;
}

/** Their END closes none of what is counted. */
const loops: ReadonlySet<string> = new Set(['IF', 'LOOP', 'WHILE', 'REPEAT']);

/** Whether a semicolon now stands inside the statement. */
function isInside(open: OpenStatement, rules: LexicalRules): boolean {
  if (open.depth > 0) return creates(open.tokens, rules.bodies.of);
  return open.parentheses > 0 && creates(open.tokens, rules.bodies.parenthesised);
}

/** Whether a statement is a CREATE of one of these; modifiers such as OR REPLACE may stand between. */
function creates(tokens: readonly Token[], kinds: readonly string[]): boolean {
  if (!isWord(tokens[0], 'CREATE')) return false;
  const head = tokens.slice(1, maximalModifiers);
  const list = head.findIndex((token) => isSymbol(token, '('));
  return head
    .slice(0, list === -1 ? undefined : list)
    .some((token) => token.kind === 'word' && kinds.includes(token.text.toUpperCase()));
}

/** `CREATE DEFINER = 'name'@'host' PROCEDURE`, the longest there is, with a code comment around. */
const maximalModifiers = 12;

/** The comments on the line of a terminator that no code follows there. */
function trailingComments(
  source: Source,
  tokens: readonly Token[],
  terminator: number,
): readonly Token[] {
  const comments: Token[] = [];
  let end = tokens[terminator]?.span.end;
  for (let index = terminator + 1; end !== undefined; index++) {
    const token = tokens[index];
    if (token === undefined || /[\n\r]/.test(source.text.slice(end, token.span.start))) break;
    if (token.kind !== 'comment') return [];
    comments.push(token);
    end = token.span.end;
  }
  return comments;
}

function spanFor(source: Source, tokens: readonly Token[]): Span {
  return {
    source,
    start: tokens[0]?.span.start ?? 0,
    end: tokens.at(-1)?.span.end ?? 0,
  };
}
