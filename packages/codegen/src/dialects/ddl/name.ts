import { isSymbol, type Token } from '../../source/token.js';
import type { Name } from '../../table/table.js';
import type { TokenCursor } from './token-cursor.js';

/** The kinds of token that can be a name: SQLite takes a string for one, too. */
export type NameKinds = ReadonlySet<Token['kind']>;

/** The name that a token is, or nothing. */
export function nameOf(token: Token | undefined, kinds: NameKinds): Name | undefined {
  if (token === undefined || !kinds.has(token.kind)) return undefined;
  return { text: token.value, quoted: token.kind !== 'word', span: token.span };
}

/** A table's name with its schema; `template` where a piece of a template stands in it. */
export type QualifiedName =
  | { readonly kind: 'name'; readonly schema?: Name; readonly name: Name }
  | { readonly kind: 'template'; readonly tokens: readonly Token[] };

/** Reads `name`, `schema.name` or `database.schema.name`; nothing where no name stands. */
export function readQualifiedName(
  cursor: TokenCursor,
  kinds: NameKinds,
): QualifiedName | undefined {
  const start = cursor.position();
  const parts: Name[] = [];
  let template = false;
  for (;;) {
    let part: Name | undefined;
    let pieces = 0;
    for (let token = cursor.peek(); token !== undefined; token = cursor.peek()) {
      // A template's piece and a word that touch are one part: `${prefix}jobs`.
      if (pieces > 0 && !touches(cursor.peek(-1), token)) break;
      const name = nameOf(token, kinds);
      if (token.kind === 'placeholder') template = true;
      else if (name === undefined || (pieces > 0 && !template)) break;
      else part ??= name;
      pieces++;
      cursor.next();
    }
    if (pieces === 0) return undefined;
    if (part !== undefined) parts.push(part);
    if (!isSymbol(cursor.peek(), '.')) break;
    cursor.next();
  }
  if (template) return { kind: 'template', tokens: cursor.since(start) };
  const name = parts.at(-1);
  const schema = parts.at(-2);
  if (name === undefined) return undefined;
  return { kind: 'name', name, ...(schema !== undefined && { schema }) };
}

function touches(left: Token | undefined, right: Token): boolean {
  return left !== undefined && left.span.end === right.span.start;
}
