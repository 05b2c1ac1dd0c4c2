import type { Dialect } from '../dialect.js';
import { leaseStatements } from './lease.js';
import { lexicalRules } from './lexical-rules.js';
import { quote } from './quote.js';
import { readTable } from './read.js';
import { secondOpinion } from './second-opinion.js';

/** PostgreSQL: how its DDL is read, and the SQL that works its queues. */
export const postgres: Dialect = {
  name: 'postgres',
  lexicalRules,
  readTable,
  secondOpinion,
  quote,
  leaseStatements,
};
