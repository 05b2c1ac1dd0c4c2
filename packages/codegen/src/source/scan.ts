import type { TokenKind } from './token.js';

/** What a scanner read: where it ends, and its value where that is not the text itself. */
export interface Scan {
  readonly kind: TokenKind;
  readonly end: number;
  readonly value?: string;
  readonly unterminated?: true;
}

/** Where the line of a place ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  lineBreak.lastIndex = at;
  return lineBreak.exec(text)?.index ?? text.length;
}

const lineBreak = /[\n\r]/g;

/** Whether only white space stands between a place and the beginning of its line. */
export function isLineStart(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  const unit = text[before];
  return unit === undefined || unit === '\n' || unit === '\r' || unit === '\ufeff';
}
