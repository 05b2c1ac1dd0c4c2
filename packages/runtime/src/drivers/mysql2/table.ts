import type { MysqlLeaseStatements } from '../../spec.js';

/** The part of a spec that this driver executes, with the statements of the server's own kind. */
export interface MysqlTable {
  readonly queue: string;
  readonly table: string;
  readonly keyWidth: number;
  readonly counted: boolean;
  readonly statements: MysqlLeaseStatements;
}
