import type { ColumnType } from '../../table/table.js';

/** A type as the DDL writes it, taken apart. */
export interface WrittenType {
  /** Its words in upper case, without attributes: `DOUBLE PRECISION`. */
  readonly words: string;
  /** The first number in its parentheses. */
  readonly length?: number;
  readonly unsigned: boolean;
  /** It is kept in the character set `binary`, or as BYTE: text that is bytes. */
  readonly binary: boolean;
}

/** Types by their words in upper case. */
export type TypeNames = ReadonlyMap<string, ColumnType>;

const integer = (bits: 8 | 16 | 24 | 32 | 64): ColumnType => ({
  kind: 'integer',
  bits,
  unsigned: false,
});
const text: ColumnType = { kind: 'text' };
const float: ColumnType = { kind: 'float' };
const decimal: ColumnType = { kind: 'decimal' };
const bytes: ColumnType = { kind: 'bytes' };
const boolean: ColumnType = { kind: 'boolean' };

/** The types that both servers have. Names: the manuals' chapters on data types. */
export const sharedTypes: TypeNames = new Map<string, ColumnType>([
  ['TINYINT', integer(8)],
  ['INT1', integer(8)],
  ['SMALLINT', integer(16)],
  ['INT2', integer(16)],
  ['MEDIUMINT', integer(24)],
  ['MIDDLEINT', integer(24)],
  ['INT3', integer(24)],
  ['INT', integer(32)],
  ['INTEGER', integer(32)],
  ['INT4', integer(32)],
  ['BIGINT', integer(64)],
  ['INT8', integer(64)],
  ['SERIAL', { kind: 'integer', bits: 64, unsigned: true }],
  // A year of 16 bits: 1901 to 2155.
  ['YEAR', integer(16)],
  ['BOOL', boolean],
  ['BOOLEAN', boolean],
  ['DECIMAL', decimal],
  ['DEC', decimal],
  ['NUMERIC', decimal],
  ['FIXED', decimal],
  ['FLOAT', float],
  ['FLOAT4', float],
  ['FLOAT8', float],
  ['DOUBLE', float],
  ['DOUBLE PRECISION', float],
  ['REAL', float],
  ['CHAR', text],
  ['CHARACTER', text],
  ['CHAR VARYING', text],
  ['CHARACTER VARYING', text],
  ['VARCHAR', text],
  ['VARCHARACTER', text],
  ['NCHAR', text],
  ['NCHAR VARYING', text],
  ['NCHAR VARCHAR', text],
  ['NVARCHAR', text],
  ['NATIONAL CHAR', text],
  ['NATIONAL CHARACTER', text],
  ['NATIONAL CHAR VARYING', text],
  ['NATIONAL CHARACTER VARYING', text],
  ['NATIONAL VARCHAR', text],
  ['NATIONAL VARCHARACTER', text],
  ['TINYTEXT', text],
  ['TEXT', text],
  ['MEDIUMTEXT', text],
  ['LONGTEXT', text],
  ['LONG', text],
  ['LONG VARCHAR', text],
  ['LONG VARCHARACTER', text],
  ['LONG CHAR VARYING', text],
  ['LONG CHARACTER VARYING', text],
  ['ENUM', text],
  ['SET', text],
  ['BINARY', bytes],
  ['VARBINARY', bytes],
  ['TINYBLOB', bytes],
  ['BLOB', bytes],
  ['MEDIUMBLOB', bytes],
  ['LONGBLOB', bytes],
  ['LONG VARBINARY', bytes],
  ['JSON', { kind: 'json' }],
  ['DATE', { kind: 'date' }],
  ['TIME', { kind: 'time' }],
  ['DATETIME', { kind: 'instant', stored: 'plain', digits: 0 }],
  ['TIMESTAMP', { kind: 'instant', stored: 'zoned', digits: 0 }],
]);

/** What a type means; unknown for one that is not among the names (BIT, POINT, VECTOR). */
export function knownType(written: WrittenType, names: TypeNames): ColumnType {
  const { words, length, unsigned, binary } = written;
  const type = names.get(words) ?? { kind: 'unknown' };
  switch (type.kind) {
    case 'integer':
      // The width that both servers show for BOOLEAN.
      if (words === 'TINYINT' && length === 1 && !unsigned) return boolean;
      return unsigned ? { ...type, unsigned } : type;
    case 'text':
      return binary && words !== 'ENUM' && words !== 'SET' ? bytes : type;
    case 'instant':
      return { ...type, digits: Math.min(length ?? 0, 6) };
    default:
      return type;
  }
}

/** The type for a cast that keeps the values of a column of this type as they are. */
export function castTypeOf(type: ColumnType): string {
  switch (type.kind) {
    case 'integer':
      return type.unsigned ? 'UNSIGNED' : 'SIGNED';
    case 'boolean':
      return 'SIGNED';
    case 'decimal':
      return 'DECIMAL(65, 30)';
    case 'bytes':
    case 'unknown':
      return 'BINARY';
    case 'date':
      return 'DATE';
    case 'time':
      return 'TIME(6)';
    case 'instant':
      return 'DATETIME(6)';
    default:
      return 'CHAR';
  }
}
