/**
 * What generated modules import, and nothing else does. This entry is versioned: a module that was
 * generated against it keeps working when the runtime moves on.
 */
export {
  readBigint,
  readBoolean,
  readBytes,
  readDecimal,
  readFloat,
  readInstant,
  readInteger,
  readJson,
  readNullable,
  readText,
  readUnknown,
  type Reader,
} from './cells/readers.js';
export {
  writeBigint,
  writeBoolean,
  writeBytes,
  writeDecimal,
  writeFloat,
  writeGiven,
  writeInstant,
  writeInteger,
  writeJson,
  writeNullable,
  writeText,
  writeUnknown,
  writeUnsignedBigint,
  type Writer,
} from './cells/writers.js';
export type { InboxDatabase } from './drivers/database.js';
export type {
  LockConnections,
  MysqlLockConnection,
  OwnLock,
  PostgresLockConnection,
  SqliteLockConnection,
} from './drivers/own-lock.js';
export type {
  AdvisoryDatabaseName,
  AdvisorySpec,
  AdvisoryStatements,
  LeaseDatabaseName,
  LeaseSpec,
  LeaseStatements,
  MariadbLeaseStatements,
  MysqlAdvisoryStatements,
  MysqlLeaseStatements,
  MysqlRowLockStatements,
  OwnLockStatements,
  PostgresAdvisoryStatements,
  PostgresLeaseStatements,
  PostgresRowLockStatements,
  RowLockDatabaseName,
  RowLockSpec,
  RowLockStatements,
  SqliteAdvisoryStatements,
  SqliteLeaseStatements,
  TableSpec,
} from './spec.js';
export {
  list,
  type Cell,
  type DatabaseName,
  type InsertStatement,
  type ListStatement,
  type Statement,
  type StatementValue,
} from './statement.js';
export { AdvisoryQueue } from './worker/advisory-queue.js';
export { LeaseQueue } from './worker/lease-queue.js';
export type { QueueOptions } from './worker/options.js';
export { RowLockQueue } from './worker/row-lock-queue.js';
