import type { Column, ColumnType, DialectName, Table } from '../table/table.js';

/** How a queue's expiry column keeps an instant. */
export type InstantStorage =
  | { readonly kind: 'zoned'; readonly digits: number }
  | { readonly kind: 'plain'; readonly digits: number }
  | { readonly kind: 'text' }
  | { readonly kind: 'epoch'; readonly unit: 's' | 'ms' | 'us' };

/** The column that counts deliveries. `start` is what a new row holds: its default, 1 or 0. */
export interface AttemptColumn {
  readonly column: Column;
  readonly start: 0 | 1;
  /**
   * The largest count that the column holds, where a row that keeps failing could come to it: there
   * the count stays, so that one such row does not fail the claim of all others. 64 bits are enough.
   */
  readonly most?: number;
}

/**
 * A column that an insert gives. `flagged` where the column has a default in the DDL of any dialect
 * of its family: it then takes two cells, whether a value was given and the value; else one.
 */
export interface InsertColumn {
  readonly column: Column;
  readonly flagged: boolean;
}

/**
 * What queues of all forms have: a table whose roles are known and valid, for one dialect. The
 * columns are the table's own, in DDL order.
 */
export interface QueueTable {
  readonly dialect: DialectName;
  readonly table: Table;
  readonly names: QueueNames;
  /** The key's columns, in key order. */
  readonly key: readonly Column[];
  readonly attempt?: AttemptColumn;
  readonly payload?: Column;
  /** Every column but the ones that the queue keeps for itself (`locked_until`). */
  readonly rowColumns: readonly Column[];
  /** The columns that an insert gives: not generated, attempt or expiry. */
  readonly insertColumns: readonly InsertColumn[];
  /** `host`: "now" comes from the host's clock (`@clock host`). */
  readonly clock: 'database' | 'host';
}

/** Lease form: a claim writes an expiry into the row. */
export interface LeaseQueue extends QueueTable {
  readonly kind: 'lease';
  readonly lockedUntil: { readonly column: Column; readonly storage: InstantStorage };
}

/** Row-lock form: the claim's transaction stays open and holds the row's lock. */
export interface RowLockQueue extends QueueTable {
  readonly kind: 'row-lock';
}

/** Advisory form: a session holds a lock on the row's lock key. */
export interface AdvisoryQueue extends QueueTable {
  readonly kind: 'advisory';
  /** The lock key's text: literal texts and columns, in order; never empty. No column is nullable. */
  readonly lockKey: readonly (string | Column)[];
  /** The author's own lock; absent for the one that inbox-gen writes. */
  readonly ownLock?: OwnLock;
}

/** `@lock` and `@unlock`, or `@custom lock unlock`. */
export type OwnLock =
  | { readonly kind: 'sql'; readonly lock: LockFragment; readonly unlock: LockFragment }
  | { readonly kind: 'functions' };

/**
 * The author's SQL expression around its `:key`s: the texts before, between and behind them, as
 * written. One text more than there are `:key`s, of which there is at least one.
 */
export type LockFragment = readonly string[];

/** A queue of any form. */
export type Queue = LeaseQueue | RowLockQueue | AdvisoryQueue;

/** The names that a queue gives to generated code. */
export interface QueueNames {
  /** The row's type: `RenderReport`. */
  readonly row: string;
  /** The new row's type: `NewRenderReport`. */
  readonly newRow: string;
  /** The class: `RenderReportQueue`. */
  readonly queue: string;
  /** The key's type: `RenderReportKey`. */
  readonly key: string;
  /** The exported spec: `renderReportSpec`. */
  readonly spec: string;
  /** The module's file name without its extension: `report_jobs`. */
  readonly file: string;
}

/**
 * One class: the same queue on each dialect that it is declared for, in the order of the dialects.
 * The row, insert and key columns of all queues stand in the order of the first.
 */
export interface QueueFamily {
  readonly names: QueueNames;
  readonly queues: readonly [Queue, ...Queue[]];
  /** The properties of the row's type, one for each row column, in the first queue's DDL order. */
  readonly properties: readonly Property[];
}

/** A property of the row's type: one column, merged over the dialects of its family. */
export interface Property {
  /** The property's name, any text: generated code quotes it where it must. */
  readonly name: string;
  /** What the column is for; `data` where it plays no role. */
  readonly role: 'id' | 'attempt' | 'payload' | 'data';
  /** The type that holds every dialect's values: the widest integer, JSON over text payloads. */
  readonly type: ColumnType;
  /** Whether a row may hold NULL here: it may in one dialect. */
  readonly nullable: boolean;
  /** How a new row gives it; absent where the database or the queue fills it. */
  readonly given?: {
    /** Must be given: some dialect has neither NULL nor a default to fall back on. */
    readonly required: boolean;
    /** May be given as null: every dialect takes NULL. */
    readonly nullable: boolean;
    /** Takes two cells, see `InsertColumn`. */
    readonly flagged: boolean;
  };
  /** The column itself, one for each queue of the family, in their order. */
  readonly columns: readonly [Column, ...Column[]];
}
