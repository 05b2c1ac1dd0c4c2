import type { LexicalRules } from './lexical-rules.js';
import type { Scan } from './scan.js';
import { isLineStart, lineEnd } from './scan.js';

/** Reads a comment at a place, or nothing. `gateOpen`: a code comment has been opened before. */
export function scanComment(
  text: string,
  at: number,
  rules: LexicalRules,
  gateOpen: boolean,
): Scan | undefined {
  for (const { opener, blankAfter, lineStart } of rules.lineComments) {
    if (!text.startsWith(opener, at)) continue;
    if (lineStart && !isLineStart(text, at)) continue;
    if (blankAfter && !/^(\s|$)/.test(text.slice(at + opener.length, at + opener.length + 1))) {
      continue;
    }
    return { kind: 'comment', end: lineEnd(text, at) };
  }
  if (gateOpen && text.startsWith('*/', at)) return { kind: 'gate', end: at + 2 };
  if (!text.startsWith('/*', at)) return undefined;
  return scanGate(text, at, rules) ?? scanBlock(text, at, rules);
}

/**
 * `/*!50100 ` or `/*M!100201 `; what follows is read as code. `/*!999999` is for no server, and one
 * for another server is as good as not there.
 */
function scanGate(text: string, at: number, rules: LexicalRules): Scan | undefined {
  const { code } = rules.blockComments;
  if (code === false) return undefined;
  gatePattern.lastIndex = at;
  const match = gatePattern.exec(text);
  if (match === null || match[2] === '999999') return undefined;
  const opener = match[1] === undefined ? '/*!' : '/*M!';
  if (code !== true && !code(opener, Number(match[2] ?? 0))) {
    return { ...scanBlock(text, at, rules), kind: 'client' };
  }
  return { kind: 'gate', end: gatePattern.lastIndex };
}

const gatePattern = /\/\*(M)?!(\d{5,6})?/y;

function scanBlock(text: string, at: number, rules: LexicalRules): Scan {
  const { nest, endOfFileCloses } = rules.blockComments;
  let depth = 0;
  blockPattern.lastIndex = at;
  for (let match = blockPattern.exec(text); match !== null; match = blockPattern.exec(text)) {
    if (match[0] === '/*') {
      if (nest || depth === 0) depth++;
      else blockPattern.lastIndex = match.index + 1; // `/*/` in a comment that does not nest
    } else if (--depth === 0) {
      return { kind: 'comment', end: match.index + 2 };
    }
  }
  return { kind: 'comment', end: text.length, ...(!endOfFileCloses && { unterminated: true }) };
}

const blockPattern = /\/\*|\*\//g;
