import type { LexicalRules } from './lexical-rules.js';
import { isLineStart, lineEnd, type Scan } from './scan.js';
import { scanComment } from './scan-comment.js';
import { scanPlain } from './scan-plain.js';
import { scanQuoted } from './scan-quoted.js';
import type { Source } from './source.js';
import { isWord, type Token } from './token.js';

export type { CodeRule, LexicalRules, LineCommentRule, QuoteRule } from './lexical-rules.js';

/** A stretch of a source to read instead of all of it: the body of a function. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a source into tokens by a dialect's rules. Takes any text: a string, name or comment that
 * never ends runs to the end of the file and says so. Its time grows with the text's length.
 */
export function lex(source: Source, rules: LexicalRules, range?: Range): readonly Token[] {
  const text = range === undefined ? source.text : source.text.slice(0, range.end);
  const tokens: Token[] = [];
  const state: LexerState = { delimiter: ';', open: [], gates: 0, copyDue: false };
  let at = range?.start ?? 0;
  while (at < text.length) {
    if (state.copyDue && /[\n\r]/.test(text[at] ?? '')) {
      state.copyDue = false;
      const scan = scanCopyData(text, at);
      if (scan !== undefined) {
        tokens.push(tokenOf(source, text, at, scan));
        at = scan.end;
        continue;
      }
    }
    if (isBlank(text.charCodeAt(at))) {
      at++;
      continue;
    }
    const scan = scanOne(text, at, rules, state);
    const token = tokenOf(source, text, at, scan);
    tokens.push(token);
    advance(state, token, rules);
    at = scan.end;
  }
  return tokens;
}

/** What the lexer has to remember from one token to the next. */
interface LexerState {
  delimiter: string;
  /** The first words of the statement that is open, and its last two: enough to know a COPY. */
  open: Token[];
  gates: number;
  copyDue: boolean;
}

function scanOne(text: string, at: number, rules: LexicalRules, state: LexerState): Scan {
  if (text.startsWith(state.delimiter, at)) {
    return { kind: 'terminator', end: at + state.delimiter.length };
  }
  return (
    scanComment(text, at, rules, state.gates > 0) ??
    scanClient(text, at, rules, state) ??
    scanQuoted(text, at, rules) ??
    scanPlain(text, at, rules)
  );
}

/** A command that the database's own shell reads. */
function scanClient(
  text: string,
  at: number,
  { client }: LexicalRules,
  state: LexerState,
): Scan | undefined {
  const between = state.open.length === 0;
  const unit = text[at];
  const command =
    (client.backslash && unit === '\\') ||
    (client.dot && unit === '.' && between && isLineStart(text, at));
  if (command) return { kind: 'client', end: lineEnd(text, at) };
  if (!client.delimiter || !between || !isLineStart(text, at)) return undefined;
  delimiterPattern.lastIndex = at;
  const delimiter = delimiterPattern.exec(text)?.[1];
  if (delimiter === undefined) return undefined;
  state.delimiter = delimiter;
  return { kind: 'client', end: lineEnd(text, at) };
}

const delimiterPattern = /DELIMITER[ \t]+(\S{1,20})/iy;

/** The lines behind `COPY … FROM stdin;`, up to and with the line `\.`. */
function scanCopyData(text: string, at: number): Scan | undefined {
  copyEnd.lastIndex = at;
  const match = copyEnd.exec(text);
  return { kind: 'client', end: match === null ? text.length : copyEnd.lastIndex };
}

const copyEnd = /[\n\r]\\\.[^\n\r]*/g;

function advance(state: LexerState, token: Token, rules: LexicalRules): void {
  switch (token.kind) {
    case 'comment':
    case 'client':
      return;
    case 'gate':
      state.gates += token.text.startsWith('/*') ? 1 : -1;
      return;
    case 'terminator':
      state.copyDue = rules.client.copyData && isCopyFromStdin(state.open);
      state.open = [];
      return;
    default:
      // Only a COPY is ever asked about, and that by its first word and by FROM STDIN.
      if (state.open.length === 0 || isWord(state.open[0], 'COPY')) state.open.push(token);
  }
}

function isCopyFromStdin(tokens: readonly Token[]): boolean {
  return (
    isWord(tokens[0], 'COPY') &&
    tokens.some((token, index) => isWord(token, 'FROM') && isWord(tokens[index + 1], 'STDIN'))
  );
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff || code === 0;
}

function tokenOf(source: Source, text: string, at: number, scan: Scan): Token {
  const written = text.slice(at, scan.end);
  return {
    kind: scan.kind,
    text: written,
    value: scan.value ?? written,
    span: { source, start: at, end: scan.end },
    ...(scan.unterminated === true && { unterminated: true }),
  };
}
