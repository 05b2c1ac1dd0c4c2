import type {
  AdvisoryDatabaseName,
  AdvisoryStatements,
  LeaseDatabaseName,
  LeaseStatements,
  RowLockDatabaseName,
  RowLockStatements,
} from '../spec.js';

/** The part of a spec that a driver executes; everything about TypeScript rows stays outside. */
export interface DriverTable {
  readonly queue: string;
  readonly table: string;
  readonly keyWidth: number;
  readonly counted: boolean;
  readonly hostClock: boolean;
}

/** A table in lease form. */
export interface LeaseTable<
  Name extends LeaseDatabaseName = LeaseDatabaseName,
> extends DriverTable {
  readonly statements: { readonly [Database in Name]: LeaseStatements[Database] };
}

/** A table in row-lock form. */
export interface RowLockTable<
  Name extends RowLockDatabaseName = RowLockDatabaseName,
> extends DriverTable {
  readonly statements: { readonly [Database in Name]: RowLockStatements[Database] };
}

/** A table in advisory form. */
export interface AdvisoryTable<
  Name extends AdvisoryDatabaseName = AdvisoryDatabaseName,
> extends DriverTable {
  readonly statements: { readonly [Database in Name]: AdvisoryStatements[Database] };
}
