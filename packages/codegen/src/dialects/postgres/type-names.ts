import type { ColumnType } from '../../table/table.js';

/** A type of PostgreSQL by one of its names. */
export interface KnownType {
  readonly type: ColumnType;
  /** The name for a cast, where it is not the name itself: a serial is no type, `char` cuts. */
  readonly cast?: string;
  /** The database fills the column from a sequence of its own. */
  readonly serial?: true;
}

const integer = (bits: 16 | 32 | 64): ColumnType => ({ kind: 'integer', bits, unsigned: false });
const text: ColumnType = { kind: 'text' };
const float: ColumnType = { kind: 'float' };
const decimal: ColumnType = { kind: 'decimal' };
const plain: ColumnType = { kind: 'instant', stored: 'plain', digits: 6 };
const zoned: ColumnType = { kind: 'instant', stored: 'zoned', digits: 6 };

/**
 * The types that have a neutral kind, by the names that the catalog knows them by; a quoted name
 * means these only. Names: chapter 8 of the manual, `pg_type`.
 */
const catalogTypes: ReadonlyMap<string, KnownType> = new Map<string, KnownType>([
  ['int2', { type: integer(16) }],
  ['int4', { type: integer(32) }],
  ['int8', { type: integer(64) }],
  ['numeric', { type: decimal }],
  ['float4', { type: float }],
  ['float8', { type: float }],
  ['text', { type: text }],
  ['varchar', { type: text }],
  ['bpchar', { type: text }],
  ['citext', { type: text }],
  ['name', { type: text }],
  ['json', { type: { kind: 'json' } }],
  ['jsonb', { type: { kind: 'json' } }],
  ['bytea', { type: { kind: 'bytes' } }],
  ['bool', { type: { kind: 'boolean' } }],
  ['uuid', { type: { kind: 'uuid' } }],
  ['date', { type: { kind: 'date' } }],
  ['time', { type: { kind: 'time' } }],
  ['timetz', { type: { kind: 'time' } }],
  ['timestamp', { type: plain }],
  ['timestamptz', { type: zoned }],
]);

/** The names that only the grammar knows: bare, of one word or several. */
const grammarTypes: ReadonlyMap<string, KnownType> = new Map<string, KnownType>([
  ['smallint', { type: integer(16) }],
  ['integer', { type: integer(32) }],
  ['int', { type: integer(32) }],
  ['bigint', { type: integer(64) }],
  ['smallserial', { type: integer(16), cast: 'smallint', serial: true }],
  ['serial2', { type: integer(16), cast: 'smallint', serial: true }],
  ['serial', { type: integer(32), cast: 'integer', serial: true }],
  ['serial4', { type: integer(32), cast: 'integer', serial: true }],
  ['bigserial', { type: integer(64), cast: 'bigint', serial: true }],
  ['serial8', { type: integer(64), cast: 'bigint', serial: true }],
  ['decimal', { type: decimal, cast: 'numeric' }],
  ['dec', { type: decimal, cast: 'numeric' }],
  ['real', { type: float }],
  ['float', { type: float, cast: 'double precision' }],
  ['double precision', { type: float }],
  ['boolean', { type: { kind: 'boolean' } }],
  ['char', { type: text, cast: 'bpchar' }],
  ['character', { type: text, cast: 'bpchar' }],
  ['nchar', { type: text, cast: 'bpchar' }],
  ['national char', { type: text, cast: 'bpchar' }],
  ['national character', { type: text, cast: 'bpchar' }],
  ['char varying', { type: text, cast: 'varchar' }],
  ['character varying', { type: text, cast: 'varchar' }],
  ['nchar varying', { type: text, cast: 'varchar' }],
  ['national char varying', { type: text, cast: 'varchar' }],
  ['national character varying', { type: text, cast: 'varchar' }],
  ['time with time zone', { type: { kind: 'time' }, cast: 'timetz' }],
  ['time without time zone', { type: { kind: 'time' }, cast: 'time' }],
  ['timestamp with time zone', { type: zoned, cast: 'timestamptz' }],
  ['timestamp without time zone', { type: plain, cast: 'timestamp' }],
  // Without its length a bit string would be cut to one bit.
  ['bit', { type: { kind: 'unknown' }, cast: 'bit varying' }],
]);

/** The type of a name; nothing for a type of the user's or an extension's own. */
export function knownType(name: string, quoted: boolean): KnownType | undefined {
  return catalogTypes.get(name) ?? (quoted ? undefined : grammarTypes.get(name));
}
