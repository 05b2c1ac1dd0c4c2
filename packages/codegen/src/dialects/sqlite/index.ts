import type { Dialect } from '../dialect.js';
import { advisoryStatements } from './advisory.js';
import { leaseStatements } from './lease.js';
import { lexicalRules } from './lexical-rules.js';
import { readTable } from './read.js';
import { secondOpinion } from './second-opinion.js';

/** SQLite: how its DDL is read, and the SQL that works its queues. */
export const sqlite: Dialect = {
  name: 'sqlite',
  lexicalRules,
  readTable,
  secondOpinion,
  leaseStatements,
  advisoryStatements,
};
