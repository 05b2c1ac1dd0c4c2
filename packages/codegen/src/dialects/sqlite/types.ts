import type { Result } from '../../source/diagnostic.js';
import { spanOf, type Token } from '../../source/token.js';
import type { Name } from '../../table/table.js';
import { attributeAt, type AttributeReaders } from '../ddl/attributes.js';
import type { NameKinds } from '../ddl/name.js';
import type { TypeReading } from '../ddl/table-grammar.js';
import type { TokenCursor } from '../ddl/token-cursor.js';
import { unreadable } from '../ddl/unreadable.js';
import { castTypeOf, declaredType } from './type-names.js';

/** SQLite takes a string for a name, too, wherever a name is due. */
export const nameKinds: NameKinds = new Set(['word', 'name', 'string'] as const);

/**
 * Reads a declared type: any words up to an attribute, then arguments; or nothing at all, since
 * SQLite's columns need no type. A type that runs over a line's end is refused: SQLite would take a
 * column behind a forgotten comma for a part of it.
 */
export function readType(
  cursor: TokenCursor,
  column: Name,
  attributes: AttributeReaders,
): Result<TypeReading> {
  const start = cursor.position();
  const words: Token[] = [];
  for (let token = cursor.peek(); token !== undefined; token = cursor.peek()) {
    if (!nameKinds.has(token.kind) || attributeAt(token, attributes) !== undefined) break;
    words.push(token);
    cursor.next();
  }
  const first = words[0];
  if (first === undefined) {
    const { source, end } = column.span;
    const type = { kind: 'unknown' } as const;
    return {
      value: { type, castType: castTypeOf(type), span: { source, start: end, end } },
      diagnostics: [],
    };
  }
  const broken = words.find((word, index) => index > 0 && beginsLine(word));
  if (broken !== undefined) {
    return {
      diagnostics: [
        unreadable(
          `the type of column "${column.text}" runs on to the next line`,
          broken.span,
          'is a comma missing before it? SQLite would take it for a part of the type',
        ),
      ],
    };
  }
  cursor.skipGroup();
  const spelled = words.map(({ value }) => value.toUpperCase());
  const type = declaredType(spelled.join(' '));
  const last = cursor.since(start).at(-1) ?? first;
  return {
    value: { type, castType: castTypeOf(type), span: spanOf(column.span.source, first, last) },
    diagnostics: [],
  };
}

function beginsLine({ span }: Token): boolean {
  return /[\n\r][^\S\n\r]*$/.test(
    span.source.text.slice(Math.max(0, span.start - 200), span.start),
  );
}
