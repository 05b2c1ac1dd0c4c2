import type { Diagnostic, Result } from '../../source/diagnostic.js';
import type { Span } from '../../source/source.js';
import type { Token } from '../../source/token.js';
import type { ColumnType, DialectName, Name } from '../../table/table.js';
import type { AttributeReaders } from './attributes.js';
import type { ColumnFacts } from './column-facts.js';
import type { CreateTable } from './create-table.js';
import type { NameKinds } from './name.js';
import type { TokenCursor } from './token-cursor.js';

/** A column's type as a dialect reads it. */
export interface TypeReading {
  readonly type: ColumnType;
  readonly castType: string;
  readonly span: Span;
  /** What the type alone says beyond the values: a serial is filled by the database. */
  readonly implies?: Pick<ColumnFacts, 'generated' | 'notNull'>;
}

/** A column between reading and the rules that need the whole table. */
export interface ReadColumn {
  readonly name: Name;
  readonly reading: TypeReading;
  readonly facts: ColumnFacts;
}

/** What makes one dialect's CREATE TABLE differ from another's. */
export interface TableGrammar {
  readonly dialect: DialectName;
  /** The kinds of token that can be a name. */
  readonly nameKinds: NameKinds;
  readonly attributes: AttributeReaders;
  /** Whether an element is a table constraint (or an index) and no column. */
  isConstraint(tokens: readonly Token[]): boolean;
  /** A name in the form in which it is compared: two columns are one where theirs are equal. */
  nameKey(name: string): string;
  /** Reads a type; the cursor stands behind the column's name. */
  readType(cursor: TokenCursor, name: Name): Result<TypeReading>;
  /** What cannot be read of this table, if something cannot: a LIKE whose columns are elsewhere. */
  refusal(table: CreateTable): Diagnostic | undefined;
  /** The dialect's rules that join a column with the table: which key columns cannot be NULL. */
  settle(
    column: ReadColumn,
    primaryKey: readonly string[],
    table: CreateTable,
  ): Pick<ColumnFacts, 'generated'> & { readonly nullable: boolean };
}
