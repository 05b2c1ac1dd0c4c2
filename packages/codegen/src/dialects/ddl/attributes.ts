import { isSymbol, isWord, spanOf, type Token } from '../../source/token.js';
import type { ColumnFacts } from './column-facts.js';
import type { TokenCursor } from './token-cursor.js';

/** Reads one attribute of a column; the cursor stands behind its first word, `word`. */
export type AttributeReader = (cursor: TokenCursor, facts: ColumnFacts, word: Token) => void;

/** The attributes that a dialect knows, by their first word in upper case. */
export type AttributeReaders = ReadonlyMap<string, AttributeReader>;

/**
 * Reads the attributes behind a column's type. Answers the token at which it is stuck, which is no
 * attribute of the dialect, or nothing.
 */
export function readAttributes(
  cursor: TokenCursor,
  readers: AttributeReaders,
  facts: ColumnFacts,
): Token | undefined {
  for (let token = cursor.peek(); token !== undefined; token = cursor.peek()) {
    const reader = attributeAt(token, readers);
    if (reader === undefined) return token;
    cursor.next();
    reader(cursor, facts, token);
  }
  return undefined;
}

/** The reader of the attribute that begins with a token, if one does. */
export function attributeAt(
  token: Token | undefined,
  readers: AttributeReaders,
): AttributeReader | undefined {
  return token?.kind === 'word' ? readers.get(token.text.toUpperCase()) : undefined;
}

/** An attribute that says nothing about a row and takes nothing behind it. */
export const flag: AttributeReader = () => undefined;

/** An attribute that takes one word or value. */
export const withWord: AttributeReader = (cursor) => {
  cursor.next();
};

/** An attribute that takes a group in parentheses. */
export const withGroup: AttributeReader = (cursor) => {
  cursor.skipGroup();
};

/** An attribute that takes a name, with its schema or without. */
export const withName: AttributeReader = (cursor) => {
  cursor.next();
  while (isSymbol(cursor.peek(), '.')) {
    cursor.next();
    cursor.next();
  }
};

/** `NOT NULL`, `NOT DEFERRABLE`, `NOT VALID`, `NOT ENFORCED`. */
export const not: AttributeReader = (cursor, facts, word) => {
  const next = cursor.next();
  if (next !== undefined && isWord(next, 'NULL')) {
    facts.notNull ??= spanOf(word.span.source, word, next);
  }
};

/** `REFERENCES table`, with its columns or without; actions and timing are attributes of their own. */
export const references: AttributeReader = (cursor, facts, word) => {
  withName(cursor, facts, word);
  cursor.skipGroup();
};

/** `ON DELETE SET NULL (columns)`, `ON UPDATE NO ACTION`, `ON CONFLICT REPLACE`. */
export const on: AttributeReader = (cursor) => {
  cursor.next();
  if (cursor.skipWords('SET') || cursor.skipWords('NO')) {
    cursor.next();
    cursor.skipGroup();
  } else {
    cursor.next();
  }
};

/** `PRIMARY KEY`, ascending or not. */
export const primaryKey: AttributeReader = (cursor, facts) => {
  cursor.skipWords('KEY');
  const descending = cursor.skipWords('DESC');
  if (!descending) cursor.skipWords('ASC');
  facts.primaryKey = { descending };
};

/** `AS (expression)`, what GENERATED ALWAYS may stand before. */
export const computed: AttributeReader = (cursor, facts) => {
  cursor.skipGroup();
  facts.generated = 'computed';
};
