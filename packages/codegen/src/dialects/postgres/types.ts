import type { Result } from '../../source/diagnostic.js';
import { isSymbol, spanOf, type Token } from '../../source/token.js';
import type { ColumnType, Name } from '../../table/table.js';
import { nameOf, type NameKinds } from '../ddl/name.js';
import type { TypeReading } from '../ddl/table-grammar.js';
import type { TokenCursor } from '../ddl/token-cursor.js';
import { unreadable } from '../ddl/unreadable.js';
import { quote } from './quote.js';
import { knownType } from './type-names.js';

/** A name is a bare or a quoted word. */
export const nameKinds: NameKinds = new Set(['word', 'name'] as const);

/**
 * Reads a column's type: a name of one word or several, arguments, array brackets. The first word is
 * always the type's, even where it is an attribute's too (`storage.kind`).
 */
export function readType(cursor: TokenCursor, column: Name): Result<TypeReading> {
  const start = cursor.position();
  const parts: Name[] = [];
  for (;;) {
    const part = nameOf(cursor.peek(), nameKinds);
    if (part === undefined) break;
    parts.push(part);
    cursor.next();
    if (!isSymbol(cursor.peek(), '.')) break;
    cursor.next();
  }
  const last = parts.at(-1);
  const first = cursor.since(start)[0];
  if (last === undefined || first === undefined) {
    const place = cursor.peek()?.span ?? column.span;
    return {
      diagnostics: [unreadable(`column "${column.text}" has no type`, place, 'write its type')],
    };
  }
  const bare = parts.length === 1 && !last.quoted;
  const words = bare ? wordsOf(last, cursor) : undefined;
  const inside = cursor.skipGroup();
  const zone = bare ? zoneOf(last.text, cursor) : '';
  const dimensions = arrayDimensions(cursor);
  const span = spanOf(column.span.source, first, cursor.peek(-1) ?? first);

  const name = (words ?? last.text) + zone;
  const known = isCatalogPath(parts) ? knownType(name, last.quoted) : undefined;
  const castType =
    (known === undefined
      ? writtenType(parts, words)
      : (narrowFloat(name, inside) ?? known.cast ?? (last.quoted ? quote(name) : name))) +
    '[]'.repeat(dimensions);
  return {
    value: {
      type: dimensions > 0 ? { kind: 'unknown' } : withDigits(known?.type, inside),
      castType,
      span,
      ...(known?.serial === true && { implies: { generated: 'by-default', notNull: span } }),
    },
    diagnostics: [],
  };
}

/** The types of more than one word, by their first; what may follow, longest first. */
const furtherWords: Readonly<Record<string, readonly (readonly string[])[]>> = {
  double: [['PRECISION']],
  char: [['VARYING']],
  character: [['VARYING']],
  nchar: [['VARYING']],
  bit: [['VARYING']],
  national: [['CHARACTER', 'VARYING'], ['CHAR', 'VARYING'], ['CHARACTER'], ['CHAR']],
};

function wordsOf(first: Name, cursor: TokenCursor): string {
  if (first.text === 'interval') skipIntervalFields(cursor);
  const followers = Object.hasOwn(furtherWords, first.text) ? furtherWords[first.text] : [];
  const found = followers?.find((words) => cursor.skipWords(...words)) ?? [];
  return [first.text, ...found.map((word) => word.toLowerCase())].join(' ');
}

/** `interval day to second`: how much of it is kept, no part of its name in a cast. */
function skipIntervalFields(cursor: TokenCursor): void {
  while (intervalFields.some((word) => cursor.skipWords(word)));
}

const intervalFields = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'TO'] as const;

/** `WITH` belongs to a type only before TIME ZONE; elsewhere it begins an attribute. */
function zoneOf(name: string, cursor: TokenCursor): string {
  if (name !== 'time' && name !== 'timestamp') return '';
  if (cursor.skipWords('WITH', 'TIME', 'ZONE')) return ' with time zone';
  return cursor.skipWords('WITHOUT', 'TIME', 'ZONE') ? ' without time zone' : '';
}

/** `int[]`, `int[3][3]`, `int ARRAY`, `int ARRAY[3]`: how many dimensions; none for no array. */
function arrayDimensions(cursor: TokenCursor): number {
  const spelled = cursor.skipWords('ARRAY');
  let dimensions = 0;
  while (isSymbol(cursor.peek(), '[')) {
    while (cursor.peek() !== undefined && !isSymbol(cursor.peek(), ']')) cursor.next();
    cursor.next();
    dimensions++;
  }
  return spelled ? Math.max(1, dimensions) : dimensions;
}

/** A built-in type stands alone or in `pg_catalog`; citext stands where its extension was put. */
function isCatalogPath(parts: readonly Name[]): boolean {
  const schema = parts.at(-2);
  return schema === undefined || schema.text === 'pg_catalog' || parts.at(-1)?.text === 'citext';
}

/** A type by the name it was given, schema and all, quoted by rule. */
function writtenType(parts: readonly Name[], words: string | undefined): string {
  if (words?.includes(' ') === true) return words;
  // A quoted type may bear a name that bare means another: `"char"`, `"integer"`.
  return parts.map(({ text, quoted }) => (quoted ? quoteQuoted(text) : quoteBare(text))).join('.');
}

function quoteBare(text: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(text) ? text : quote(text);
}

function quoteQuoted(text: string): string {
  return knownType(text, false) === undefined ? quote(text) : `"${text}"`;
}

/** `float(24)` and less is a `real`. */
function narrowFloat(name: string, inside: readonly Token[] | undefined): string | undefined {
  const digits = inside?.[0]?.text;
  return name === 'float' && digits !== undefined && Number(digits) <= 24 ? 'real' : undefined;
}

function withDigits(
  type: ColumnType | undefined,
  inside: readonly Token[] | undefined,
): ColumnType {
  if (type === undefined) return { kind: 'unknown' };
  const written = inside?.[0]?.text;
  if (type.kind !== 'instant' || written === undefined) return type;
  // The server keeps no more than six, and says so.
  return /^\d+$/.test(written) ? { ...type, digits: Math.min(type.digits, Number(written)) } : type;
}
