import type { Dialect } from '../dialect.js';
import { advisoryStatements } from './advisory.js';
import { leaseStatements } from './lease.js';
import { lexicalRules } from './lexical-rules.js';
import { readTable } from './read.js';
import { rowLockStatements } from './row-lock.js';
import { secondOpinion } from './second-opinion.js';

/** PostgreSQL: how its DDL is read, and the SQL that works its queues. */
export const postgres: Dialect = {
  name: 'postgres',
  lexicalRules,
  readTable,
  secondOpinion,
  leaseStatements,
  rowLockStatements,
  advisoryStatements,
};
