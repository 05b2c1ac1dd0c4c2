import { areWords, isSymbol, type Token } from '../../source/token.js';

/** A place in a list of tokens that moves forward. */
export interface TokenCursor {
  /** The token here, or `ahead` tokens further; none behind the last. */
  peek(ahead?: number): Token | undefined;
  /** The token here; the cursor moves behind it. */
  next(): Token | undefined;
  /** Moves behind these bare words if they all stand here; answers whether they did. */
  skipWords(...words: string[]): boolean;
  /** Moves behind the group in parentheses that begins here, if one does; gives what is in it. */
  skipGroup(): readonly Token[] | undefined;
  /** How many tokens lie behind the cursor. */
  readonly position: () => number;
  /** The tokens from a position up to the cursor. */
  since(position: number): readonly Token[];
}

/** A cursor in front of the first token. Comments and gates are to be left out beforehand. */
export function cursorOver(tokens: readonly Token[]): TokenCursor {
  let at = 0;
  return {
    peek: (ahead = 0) => tokens[at + ahead],
    next: () => tokens[at++],
    skipWords(...words) {
      const found = areWords(tokens, at, ...words);
      if (found) at += words.length;
      return found;
    },
    skipGroup() {
      const start = at;
      const end = groupEnd(tokens, start);
      if (end === undefined) return undefined;
      at = end + 1;
      return tokens.slice(start + 1, end);
    },
    position: () => Math.min(at, tokens.length),
    since: (position) => tokens.slice(position, at),
  };
}

/** Where the parenthesis that opens at `start` closes; nothing if none opens there or it never does. */
export function groupEnd(tokens: readonly Token[], start: number): number | undefined {
  if (!isSymbol(tokens[start], '(')) return undefined;
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) depth++;
    else if (isSymbol(tokens[at], ')') && --depth === 0) return at;
  }
  return undefined;
}

/** Tokens in the stretches that a symbol separates outside of parentheses and brackets. */
export function splitAt(symbol: string, tokens: readonly Token[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let current: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth++;
    else if (isSymbol(token, ')') || isSymbol(token, ']')) depth--;
    if (depth === 0 && isSymbol(token, symbol)) {
      stretches.push({ tokens: current, separator: token });
      current = [];
    } else {
      current.push(token);
    }
  }
  stretches.push({ tokens: current });
  return stretches;
}

/** Tokens between two separators; the separator behind them, where there is one. */
export interface Stretch {
  readonly tokens: readonly Token[];
  readonly separator?: Token;
}
