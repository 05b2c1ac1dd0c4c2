import type { LexicalRules, QuoteRule } from './lexical-rules.js';
import type { Scan } from './scan.js';

/** Reads a string or a quoted name at a place, or nothing. */
export function scanQuoted(text: string, at: number, rules: LexicalRules): Scan | undefined {
  for (const rule of rules.quotes) {
    const opener = rule.openers.find((candidate) => text.startsWith(candidate, at));
    if (opener !== undefined) return scanBody(text, at + opener.length, rule);
  }
  return rules.dollarQuotes && text[at] === '$' ? scanDollar(text, at) : undefined;
}

function scanBody(text: string, start: number, rule: QuoteRule): Scan {
  const { kind, closer } = rule;
  const end = closingQuote(text, start, rule);
  if (end === undefined) {
    return { kind, end: text.length, value: text.slice(start), unterminated: true };
  }
  const inner = text.slice(start, end);
  const after = end + closer.length;
  switch (rule.escapes) {
    case 'none':
      return { kind, end: after, value: inner };
    case 'doubled':
      return { kind, end: after, value: inner.replaceAll(closer + closer, closer) };
    case 'backslash':
      return { kind, end: after, value: withoutBackslashes(inner, closer) };
    case 'unicode': {
      const { escape, end: last } = unicodeEscape(text, after);
      return { kind, end: last, value: withoutUnicode(inner, closer, escape) };
    }
  }
}

function closingQuote(text: string, start: number, rule: QuoteRule): number | undefined {
  const { closer, escapes } = rule;
  if (escapes === 'backslash') return closingAfterBackslashes(text, start, closer);
  let at = text.indexOf(closer, start);
  while (at !== -1 && escapes !== 'none' && text.startsWith(closer, at + closer.length)) {
    at = text.indexOf(closer, at + 2 * closer.length);
  }
  return at === -1 ? undefined : at;
}

function closingAfterBackslashes(text: string, start: number, closer: string): number | undefined {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === closer) {
      if (text[at + 1] !== closer) return at;
      at++;
    }
  }
  return undefined;
}

/** The escapes that MySQL and `E''` share; an unknown one means the character itself. */
const backslashEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function withoutBackslashes(inner: string, closer: string): string {
  return inner
    .replaceAll(closer + closer, closer)
    .replace(/\\([\s\S])/g, (_, unit: string) => backslashEscapes[unit] ?? unit);
}

/** `UESCAPE '!'` behind a `U&` quote names another escape than the backslash. */
function unicodeEscape(
  text: string,
  at: number,
): { readonly escape: string; readonly end: number } {
  uescape.lastIndex = at;
  const match = uescape.exec(text);
  return { escape: match?.[1] ?? '\\', end: match === null ? at : uescape.lastIndex };
}

const uescape = /\s*UESCAPE\s*'([^\n'])'/iy;

function withoutUnicode(inner: string, closer: string, escape: string): string {
  const mark = escape.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
  const pattern = new RegExp(`${mark}(?:${mark}|([0-9a-f]{4})|\\+([0-9a-f]{6}))`, 'gi');
  return inner
    .replaceAll(closer + closer, closer)
    .replace(pattern, (whole, four?: string, six?: string) => {
      const code = Number.parseInt(four ?? six ?? '', 16);
      if (Number.isNaN(code)) return escape;
      // A pair of surrogates written as two escapes becomes one character when joined.
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}

function scanDollar(text: string, at: number): Scan | undefined {
  dollarTag.lastIndex = at;
  const tag = dollarTag.exec(text)?.[0];
  if (tag === undefined) return undefined;
  const start = at + tag.length;
  const end = text.indexOf(tag, start);
  if (end === -1) {
    return { kind: 'string', end: text.length, value: text.slice(start), unterminated: true };
  }
  return { kind: 'string', end: end + tag.length, value: text.slice(start, end) };
}

const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
