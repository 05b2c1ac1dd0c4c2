import { isSymbol, isWord } from '../../source/token.js';
import {
  computed,
  flag,
  not,
  primaryKey,
  references,
  withGroup,
  withName,
  withWord,
  type AttributeReader,
  type AttributeReaders,
} from '../ddl/attributes.js';
import { setDefault } from '../ddl/column-facts.js';
import type { TokenCursor } from '../ddl/token-cursor.js';
import { isIntroducer, modelessSql } from './literal.js';

/** `CONSTRAINT [name]` in front of CHECK or REFERENCES. */
function constraint(cursor: TokenCursor): void {
  if (!isWord(cursor.peek(), 'CHECK')) cursor.next();
}

/**
 * `DEFAULT` takes a value, a signed number, a function's call, an expression in parentheses, or
 * MariaDB's next number of a sequence.
 */
const defaultValue: AttributeReader = (cursor, facts, word) => {
  const start = cursor.position();
  if (cursor.skipWords('NEXT', 'VALUE', 'FOR')) withName(cursor, facts, word);
  else if (cursor.skipGroup() === undefined) {
    if (isSymbol(cursor.peek(), '-') || isSymbol(cursor.peek(), '+')) cursor.next();
    if (isIntroducer(cursor.peek())) cursor.next();
    const value = cursor.next();
    while (value?.kind === 'string' && cursor.peek()?.kind === 'string') cursor.next();
    cursor.skipGroup();
  }
  const written = cursor.since(start);
  setDefault(facts, written, modelessSql(written));
};

/** `ON UPDATE CURRENT_TIMESTAMP(3)`, or what a reference does. */
const on: AttributeReader = (cursor, facts, word) => {
  const update = cursor.skipWords('UPDATE');
  if (!update) cursor.next();
  if (cursor.skipWords('SET') || cursor.skipWords('NO')) {
    cursor.next();
    return;
  }
  const action = cursor.next();
  cursor.skipGroup();
  if (update && !isWord(action, 'CASCADE') && !isWord(action, 'RESTRICT')) {
    facts.onUpdate = word.span;
  }
};

const autoIncrement: AttributeReader = (_, facts) => {
  facts.generated = 'by-default';
};

/** `SERIAL DEFAULT VALUE` is NOT NULL AUTO_INCREMENT UNIQUE. */
const serialDefault: AttributeReader = (cursor, facts, word) => {
  cursor.skipWords('DEFAULT', 'VALUE');
  autoIncrement(cursor, facts, word);
};

/** A bare KEY is the primary one. */
const key: AttributeReader = (_, facts) => {
  facts.primaryKey = { descending: false };
};

function unique(cursor: TokenCursor): void {
  cursor.skipWords('KEY');
}

/** `GENERATED ALWAYS AS (expression)`, or MariaDB's `AS ROW START`. */
const generated: AttributeReader = (cursor, facts, word) => {
  cursor.skipWords('ALWAYS');
  cursor.skipWords('AS');
  if (cursor.skipWords('ROW')) cursor.next();
  computed(cursor, facts, word);
};

/** `COMPRESSED`, `COMPRESSED=zlib`. */
function compressed(cursor: TokenCursor): void {
  if (isSymbol(cursor.peek(), '=')) withValue(cursor);
}

/** A value with an equals sign before it, or without. */
function withValue(cursor: TokenCursor): void {
  if (isSymbol(cursor.peek(), '=')) cursor.next();
  cursor.next();
}

/** `WITH SYSTEM VERSIONING`, `WITHOUT SYSTEM VERSIONING`. */
function systemVersioning(cursor: TokenCursor): void {
  cursor.skipWords('SYSTEM', 'VERSIONING');
}

/** What may stand behind a column's type in MySQL or MariaDB. */
export const attributes: AttributeReaders = new Map<string, AttributeReader>([
  ['CONSTRAINT', constraint],
  ['NOT', not],
  ['NULL', flag],
  ['DEFAULT', defaultValue],
  ['ON', on],
  ['AUTO_INCREMENT', autoIncrement],
  ['SERIAL', serialDefault],
  ['PRIMARY', primaryKey],
  ['KEY', key],
  ['UNIQUE', unique],
  ['COMMENT', withWord],
  ['COLLATE', withValue],
  ['GENERATED', generated],
  ['AS', computed],
  ['STORED', flag],
  ['VIRTUAL', flag],
  ['PERSISTENT', flag],
  ['VISIBLE', flag],
  ['INVISIBLE', flag],
  ['CHECK', withGroup],
  ['ENFORCED', flag],
  ['REFERENCES', references],
  ['MATCH', withWord],
  ['COLUMN_FORMAT', withWord],
  ['STORAGE', withWord],
  ['ENGINE_ATTRIBUTE', withValue],
  ['SECONDARY_ENGINE_ATTRIBUTE', withValue],
  ['SRID', withWord],
  ['REF_SYSTEM_ID', withValue],
  ['COMPRESSED', compressed],
  ['WITH', systemVersioning],
  ['WITHOUT', systemVersioning],
]);
