import type { AdvisoryQueue, LeaseQueue, RowLockQueue } from '../queue/queue.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { LexicalRules } from '../source/lexer.js';
import type { SourceStatement } from '../source/statements.js';
import type { DialectName, Table } from '../table/table.js';
import type { StatementSet } from './statements.js';

/** A database: how its DDL is read, and the SQL that works its queues. One folder each. */
export interface Dialect {
  readonly name: DialectName;
  readonly lexicalRules: LexicalRules;
  /** Reads one CREATE TABLE. Fails with `unreadable-table`, never throws. */
  readTable(statement: SourceStatement): Result<Table>;
  /** What another parser makes of the same statement: differences as warnings, failures as notes. */
  secondOpinion(statement: SourceStatement, table: Table): readonly Diagnostic[];
  /** The statements of a queue in lease form, insert included. */
  leaseStatements(queue: LeaseQueue): StatementSet;
  /** The same for row-lock form; absent where the database has no row locks. */
  rowLockStatements?(queue: RowLockQueue): StatementSet;
  /** The same for advisory form, with our lock or the author's own. */
  advisoryStatements(queue: AdvisoryQueue): StatementSet;
}
