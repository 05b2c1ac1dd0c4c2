import type { Result } from '../../source/diagnostic.js';
import { isWord, spanOf, type Token } from '../../source/token.js';
import type { Name } from '../../table/table.js';
import type { NameKinds } from '../ddl/name.js';
import type { TypeReading } from '../ddl/table-grammar.js';
import type { TokenCursor } from '../ddl/token-cursor.js';
import { unreadable } from '../ddl/unreadable.js';
import { castTypeOf, knownType, type TypeNames } from './type-names.js';

/** With ANSI_QUOTES a name may stand in double quotes; where a name is due, it means nothing else. */
export const nameKinds: NameKinds = new Set(['word', 'name', 'string'] as const);

/**
 * Reads a column's type: one word or several, arguments, and what belongs to the type behind them
 * (UNSIGNED, a character set).
 */
export function readType(cursor: TokenCursor, column: Name, names: TypeNames): Result<TypeReading> {
  const first = cursor.next();
  if (first?.kind !== 'word') {
    const place = first?.span ?? column.span;
    return {
      diagnostics: [unreadable(`column "${column.text}" has no type`, place, 'write its type')],
    };
  }
  const words = wordsOf(first, cursor);
  const inside = cursor.skipGroup();
  const { unsigned, binary } = readModifiers(cursor);
  const span = spanOf(column.span.source, first, cursor.peek(-1) ?? first);
  const digits = inside?.[0]?.text ?? '';
  const type = knownType(
    { words, unsigned, binary, ...(/^\d+$/.test(digits) && { length: Number(digits) }) },
    names,
  );
  return {
    value: {
      type,
      castType: castTypeOf(type),
      span,
      ...(words === 'SERIAL' && { implies: { generated: 'by-default' } }),
    },
    diagnostics: [],
  };
}

/** The types of more than one word, by their first; what may follow, longest first. */
const furtherWords: Readonly<Record<string, readonly (readonly string[])[]>> = {
  DOUBLE: [['PRECISION']],
  CHAR: [['VARYING']],
  CHARACTER: [['VARYING']],
  NCHAR: [['VARYING'], ['VARCHAR']],
  NATIONAL: [
    ['CHARACTER', 'VARYING'],
    ['CHAR', 'VARYING'],
    ['VARCHARACTER'],
    ['VARCHAR'],
    ['CHARACTER'],
    ['CHAR'],
  ],
  LONG: [
    ['CHARACTER', 'VARYING'],
    ['CHAR', 'VARYING'],
    ['VARCHARACTER'],
    ['VARCHAR'],
    ['VARBINARY'],
  ],
};

function wordsOf(first: Token, cursor: TokenCursor): string {
  const word = first.text.toUpperCase();
  const followers = Object.hasOwn(furtherWords, word) ? furtherWords[word] : [];
  const found = followers?.find((words) => cursor.skipWords(...words)) ?? [];
  return [word, ...found].join(' ');
}

/** What stands behind a type and changes it, or is a part of it that changes nothing here. */
function readModifiers(cursor: TokenCursor): {
  readonly unsigned: boolean;
  readonly binary: boolean;
} {
  let unsigned = false;
  let binary = false;
  for (;;) {
    if (cursor.skipWords('UNSIGNED') || cursor.skipWords('ZEROFILL')) unsigned = true;
    else if (cursor.skipWords('BYTE')) binary = true;
    else if (characterSets.some((words) => cursor.skipWords(...words))) {
      if (isWord(cursor.next(), 'BINARY')) binary = true;
    } else if (!indifferent.some((word) => cursor.skipWords(word))) {
      return { unsigned, binary };
    }
  }
}

const characterSets = [['CHARACTER', 'SET'], ['CHAR', 'SET'], ['CHARSET']] as const;

const indifferent = ['SIGNED', 'ASCII', 'UNICODE', 'BINARY'] as const;
