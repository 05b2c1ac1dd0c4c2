import type { ColumnType } from '../../table/table.js';

const integer = (bits: 8 | 16 | 24 | 32 | 64, unsigned = false): ColumnType => ({
  kind: 'integer',
  bits,
  unsigned,
});
const text: ColumnType = { kind: 'text' };
const float: ColumnType = { kind: 'float' };
const decimal: ColumnType = { kind: 'decimal' };
const json: ColumnType = { kind: 'json' };
const bytes: ColumnType = { kind: 'bytes' };
const instant: ColumnType = { kind: 'instant', stored: 'text', digits: 3 };

/**
 * What a declared type says of a column. SQLite takes any words for a type, so these are the words
 * that people write, other databases' among them, in upper case and without their arguments.
 */
const declaredTypes: ReadonlyMap<string, ColumnType> = new Map<string, ColumnType>([
  ['INTEGER', integer(64)],
  ['INT', integer(64)],
  ['INT8', integer(64)],
  ['BIGINT', integer(64)],
  ['UNSIGNED BIG INT', integer(64)],
  ['BIGSERIAL', integer(64)],
  ['SERIAL8', integer(64)],
  ['SERIAL', integer(32)],
  ['SERIAL4', integer(32)],
  ['INT4', integer(32)],
  ['MEDIUMINT', integer(24)],
  ['INT3', integer(24)],
  ['SMALLINT', integer(16)],
  ['INT2', integer(16)],
  ['SMALLSERIAL', integer(16)],
  ['SERIAL2', integer(16)],
  ['TINYINT', integer(8)],
  ['INT1', integer(8)],
  ['BOOLEAN', { kind: 'boolean' }],
  ['BOOL', { kind: 'boolean' }],
  ['TEXT', text],
  ['CITEXT', text],
  ['JSON', json],
  ['JSONB', json],
  ['BLOB', bytes],
  ['BINARY', bytes],
  ['VARBINARY', bytes],
  ['BYTEA', bytes],
  ['REAL', float],
  ['DOUBLE', float],
  ['DOUBLE PRECISION', float],
  ['FLOAT', float],
  ['FLOAT4', float],
  ['FLOAT8', float],
  ['NUMERIC', decimal],
  ['DECIMAL', decimal],
  ['DEC', decimal],
  ['DATETIME', instant],
  ['TIMESTAMP', instant],
  ['TIMESTAMPTZ', instant],
  ['TIMESTAMP WITH TIME ZONE', instant],
  ['TIMESTAMP WITHOUT TIME ZONE', instant],
  ['DATE', { kind: 'date' }],
  ['TIME', { kind: 'time' }],
  ['UUID', { kind: 'uuid' }],
]);

/** What the letters of a type say where its words are not known: SQLite's rules of affinity. */
const affinities: readonly (readonly [RegExp, ColumnType])[] = [
  [/(?:^| )(?:BIG ?|SMALL ?|TINY ?|MEDIUM ?|LONG ?)?INT(?:EGER|\d+)?(?: |$)/, integer(64)],
  [/CHAR|CLOB|TEXT/, text],
  [/BLOB/, bytes],
  [/REAL|FLOA|DOUB/, float],
];

/**
 * The neutral type of a declared type, `words` in upper case; unknown for words that say nothing. A
 * word that contains `INT` by chance (`POINT`) has integer affinity, but its author means no number.
 */
export function declaredType(words: string): ColumnType {
  const known = declaredTypes.get(words);
  if (known !== undefined) return known;
  return affinities.find(([pattern]) => pattern.test(words))?.[1] ?? { kind: 'unknown' };
}

/** The type for a cast that keeps the values of a column of this type as they are. */
export function castTypeOf(type: ColumnType): string {
  switch (type.kind) {
    case 'integer':
    case 'boolean':
      return 'INTEGER';
    case 'float':
      return 'REAL';
    case 'decimal':
      return 'NUMERIC';
    case 'bytes':
    case 'unknown':
      return 'BLOB';
    default:
      return 'TEXT';
  }
}
