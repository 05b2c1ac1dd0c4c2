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
  LeaseDatabaseName,
  LeaseSpec,
  LeaseStatements,
  MariadbLeaseStatements,
  MysqlLeaseStatements,
  PostgresLeaseStatements,
  SqliteLeaseStatements,
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
export { LeaseQueue, type QueueOptions } from './worker/lease-queue.js';
