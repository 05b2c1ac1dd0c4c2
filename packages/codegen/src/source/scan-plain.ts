import type { LexicalRules } from './lexical-rules.js';
import type { Scan } from './scan.js';

/**
 * Reads a template's piece, a word, a number or a symbol; one unit at least, whatever it is.
 * Pieces of templates occur in one in fourteen real schema files: `{{ prefix }}jobs`, `${schema}.t`,
 * `@extschema@.t`, `%PREFIX%t`, `:schema.t`.
 */
export function scanPlain(text: string, at: number, rules: LexicalRules): Scan {
  const { fold, digitFirst } = rules.bareNames;
  const word = matched(digitFirst ? digitWordPattern : wordPattern, text, at);
  if (word !== undefined) {
    return {
      kind: 'word',
      end: at + word.length,
      value: fold === 'lower' ? foldAscii(word) : word,
    };
  }
  const number = matched(numberPattern, text, at);
  if (number !== undefined) return { kind: 'number', end: at + number.length };
  const piece = matched(placeholderPattern, text, at);
  if (piece !== undefined) return { kind: 'placeholder', end: at + piece.length };
  return { kind: 'symbol', end: at + (text.startsWith('::', at) ? 2 : 1) };
}

function matched(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

// A byte order mark is white space wherever two files were joined.
const wordPattern = /[A-Za-z_\u0080-\ufefe\uff00-\uffff][\w$\u0080-\ufefe\uff00-\uffff]*/y;
const digitWordPattern =
  /(?:(?!0[xX][\da-fA-F]+\b|\d+[eE]\d+\b)\d+(?=[A-Za-z_$]))?[A-Za-z_$\u0080-\ufefe\uff00-\uffff][\w$\u0080-\ufefe\uff00-\uffff]*/y;
const numberPattern = /0[xX][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
// Bounded, since an opener that is never closed must not cost a look at the whole file.
const placeholderPattern =
  /\{\{[^\n{}]{0,200}\}\}|\$\{[^\n{}]{0,200}\}|@[A-Za-z]\w{0,60}@|%[A-Za-z]\w{0,60}%|:(?=[A-Za-z_'"])(?:[A-Za-z_]\w{0,60}|'\w{1,60}'|"\w{1,60}")/y;

/** PostgreSQL folds only ASCII letters in a multi-byte encoding. */
function foldAscii(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
