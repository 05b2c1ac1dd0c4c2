import type {
  MysqlAdvisoryStatements,
  MysqlLeaseStatements,
  MysqlRowLockStatements,
  OwnLockStatements,
} from '../../spec.js';
import type { InsertStatement } from '../../statement.js';
import type { DriverTable } from '../tables.js';

/** The part of a spec that this driver executes, with the statements of the server's own kind. */
export interface MysqlTable extends DriverTable {
  readonly statements: MysqlLeaseStatements;
}

/** The same of a table in row-lock form. */
export interface MysqlRowLockTable extends DriverTable {
  readonly statements: MysqlRowLockStatements;
}

/** The same of a table in advisory form, with our lock. */
export interface MysqlAdvisoryTable extends DriverTable {
  readonly statements: MysqlAdvisoryStatements;
}

/** The same of a table in advisory form, with its author's own lock. */
export interface MysqlOwnLockTable extends DriverTable {
  readonly statements: OwnLockStatements & { readonly insert: InsertStatement };
}
