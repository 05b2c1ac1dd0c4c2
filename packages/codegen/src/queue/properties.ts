import type { Diagnostic } from '../source/diagnostic.js';
import type { Column } from '../table/table.js';

/**
 * A column's property: its name in camelCase. Underscores at either end stay, and so does the case
 * inside a word, unless the whole name is in capitals. A name without a letter or digit stays as it
 * is, so any text can come out: generated code quotes it where it must. A name that every object
 * inherits (`constructor`, `toString`) gets an underscore behind it: without that, a row that leaves
 * the column out would seem to give what it inherits.
 */
export function propertyName(column: string): string {
  const name = camelCase(column);
  return name in Object.prototype ? `${name}_` : name;
}

function camelCase(column: string): string {
  const [, before = '', middle = '', after = ''] = /^(_*)(.*?)(_*)$/su.exec(column) ?? [];
  const words = wordsOf(middle);
  const [first, ...others] = words;
  if (first === undefined) return column;
  return before + lowerFirst(first) + others.map(upperFirst).join('') + after;
}

/** Complains of two columns whose properties would have one name. */
export function propertyDuplicates(columns: readonly Column[]): readonly Diagnostic[] {
  const seen = new Map<string, Column>();
  return columns.flatMap((column): readonly Diagnostic[] => {
    const property = propertyName(column.name.text);
    const first = seen.get(property);
    if (first === undefined) {
      seen.set(property, column);
      return [];
    }
    return [
      {
        code: 'property-duplicate',
        severity: 'error',
        message: `"${first.name.text}" and "${column.name.text}" both become the property "${property}"`,
        span: column.name.span,
        help: 'rename one of the columns',
        related: { span: first.name.span, message: 'the first' },
      },
    ];
  });
}

/** The words of a name: runs of letters and digits, in lower case where the name has none. */
export function wordsOf(name: string): readonly string[] {
  const shown = /\p{Ll}/u.test(name) ? name : name.toLowerCase();
  return shown.match(/[\p{ID_Continue}$]+/gu)?.flatMap((run) => run.match(/[^_]+/gu) ?? []) ?? [];
}

/** A word with its first letter in upper case. */
export function upperFirst(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

/** A word with its first letter in lower case. */
export function lowerFirst(word: string): string {
  const [first = ''] = word;
  return first.toLowerCase() + word.slice(first.length);
}
