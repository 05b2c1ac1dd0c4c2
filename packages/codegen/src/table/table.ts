import type { AnnotationSet } from '../source/annotations.js';
import type { Span } from '../source/source.js';

/** The databases, by the names that `@dialect` and `--dialect` take. */
export type DialectName = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/** A name as SQL means it: unquoted by the dialect's rule, folded where it was bare. */
export interface Name {
  readonly text: string;
  readonly quoted: boolean;
  readonly span: Span;
}

/**
 * What a column holds, without the dialect's words for it.
 *
 * An `instant`'s `digits` are the fractional digits of a second that it keeps. `zoned` says that
 * the database knows it as a moment (TIMESTAMPTZ); without it the column keeps UTC wall-clock time
 * by our rule. `text` is an instant kept as ISO 8601 text (SQLite).
 */
export type ColumnType =
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 24 | 32 | 64; readonly unsigned: boolean }
  | { readonly kind: 'decimal' }
  | { readonly kind: 'float' }
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  | {
      readonly kind: 'instant';
      readonly stored: 'zoned' | 'plain' | 'text';
      readonly digits: number;
    }
  | { readonly kind: 'unknown' };

/** How the database fills a column by itself, beyond a default. */
export type Generated =
  /** A serial, AUTO_INCREMENT, rowid or BY DEFAULT identity: filled when left out. */
  | 'by-default'
  /** GENERATED ALWAYS AS IDENTITY: never written. */
  | 'always'
  /** A computed column: never written. */
  | 'computed';

/** One column as the DDL says it. */
export interface Column {
  readonly name: Name;
  readonly type: ColumnType;
  /**
   * The type as SQL that can stand behind a cast in this dialect, quoted by rule and without a
   * length that a cast would cut to: `varchar` for `VARCHAR(20)`, `"Mood"` for `"Mood"`.
   */
  readonly castType: string;
  readonly typeSpan: Span;
  readonly nullable: boolean;
  readonly notNullSpan?: Span;
  /** The default's expression as written, as SQL that can stand in an expression of this dialect. */
  readonly default?: { readonly sql: string; readonly span: Span };
  readonly generated?: Generated;
  /** Where the DDL says that every update of a row sets the column to the time: MySQL's ON UPDATE. */
  readonly onUpdate?: Span;
  readonly annotations: AnnotationSet;
  /** The column's own text in the DDL, white space folded, comments out. */
  readonly ddl: string;
  readonly span: Span;
}

/** One `CREATE TABLE`, whatever the dialect. */
export interface Table {
  readonly dialect: DialectName;
  readonly schema?: Name;
  readonly name: Name;
  readonly columns: readonly Column[];
  /** The primary key's column names in key order; empty where there is none. */
  readonly primaryKey: readonly string[];
  readonly annotations: AnnotationSet;
  /**
   * Where foreign keys, its own among them, reference its primary key, in the file that it stands in.
   */
  readonly references?: readonly Span[];
  readonly span: Span;
}
