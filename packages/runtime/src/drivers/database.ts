import type { AdvisoryDatabaseName, LeaseDatabaseName, RowLockDatabaseName } from '../spec.js';
import type { Cell, DatabaseName } from '../statement.js';
import type { ConnectionBudget } from './connection-budget.js';
import type { HoldStore } from './hold-store.js';
import type { OwnLock } from './own-lock.js';
import type { TableStore } from './table-store.js';
import type { AdvisoryTable, LeaseTable, RowLockTable } from './tables.js';

/**
 * What proves at settlement that a delivery still owns its row: key, expiry, counted attempt. The
 * cells behind those, if any, are ignored, so that a claimed row's cells are its first fence.
 */
export type Fence = readonly Cell[];

/** What to do with a claimed row, under its fence. `after` and `lease` are milliseconds. */
export type Settlement =
  | { readonly verb: 'ack'; readonly fence: Fence }
  | { readonly verb: 'retry'; readonly fence: Fence; readonly after: number | null }
  | { readonly verb: 'release'; readonly fence: Fence }
  | { readonly verb: 'extend'; readonly fence: Fence; readonly lease: number };

/**
 * What became of one settlement.
 *
 * - `done`: written and committed. For `extend`, `held` is the new expiry and `sentAt` the
 *   monotonic time just before the statement was sent: the lease holds at least from there.
 * - `lost`: the row is gone or no longer carries the fence. Nothing was changed.
 * - `busy`: the row still carries the fence, but somebody else has it locked. Nothing was changed.
 * - `failed`: the database answered an error for this row, or none answered. `transient` where
 *   another try can help. Nothing was changed, unless `ambiguous`, where the connection ended
 *   before the answer came; `held` is then the expiry that the row has if it was changed after all.
 */
export type Settled =
  | { readonly state: 'done'; readonly held?: Cell; readonly sentAt: number }
  | { readonly state: 'lost' }
  | { readonly state: 'busy' }
  | {
      readonly state: 'failed';
      readonly error: unknown;
      readonly ambiguous: boolean;
      readonly transient: boolean;
      readonly held?: Cell;
    };

/**
 * The rows of one claim, in claim order, and the monotonic time just before the statement was sent
 * that made their expiry.
 */
export interface Claimed {
  readonly rows: readonly (readonly Cell[])[];
  readonly sentAt: number;
}

/**
 * A table in lease form on one database: the protocol of claim, settle and insert in that
 * database's own statements. Every method is one short transaction and keeps no connection.
 */
export interface LeaseStore extends TableStore {
  /** Takes up to `limit` due rows for `lease` milliseconds. Rejects with what the driver threw, or an `InboxError`. */
  claim(limit: number, lease: number): Promise<Claimed>;
  /** Settles many rows; answers one state per settlement, in the order given. Never rejects. */
  settle(settlements: readonly Settlement[]): Promise<readonly Settled[]>;
}

/**
 * A database that queues work on: made by `postgres(pool)`, `mysql(pool)`, `mariadb(pool)` or
 * `sqlite(db)`, shared by any number of queues. `kind` keeps a class that was generated for one database from being given another.
 */
export interface InboxDatabase<Name extends DatabaseName = DatabaseName> {
  readonly kind: Name;
  /** Opens a table in lease form. Does no I/O. Called by generated classes, as the next two are. */
  openLease(table: LeaseTable<Name & LeaseDatabaseName>): LeaseStore;
  /** Opens a table in row-lock form. Does no I/O. */
  openRowLock(table: RowLockTable<Name & RowLockDatabaseName>): HoldStore;
  /** Opens a table in advisory form, with the author's own lock functions where the table has them. */
  openAdvisory(
    table: AdvisoryTable<Name & AdvisoryDatabaseName>,
    ownLock: OwnLock<Name & AdvisoryDatabaseName> | undefined,
  ): HoldStore;
  /** The connections that rows in work may hold, over all queues of this database. */
  readonly connections: ConnectionBudget;
  /** Ends what the adapter itself opened; the caller's pool or handle stays open. */
  close(): Promise<void>;
}
