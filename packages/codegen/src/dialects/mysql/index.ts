import type { Dialect } from '../dialect.js';
import { leaseStatements } from '../mysql-family/lease.js';
import { quote } from '../mysql-family/quote.js';
import { lexicalRules } from './lexical-rules.js';
import { readTable } from './read.js';
import { secondOpinion } from './second-opinion.js';
import { server } from './server.js';

/** MySQL 8.0.1 and later: how its DDL is read, and the SQL that works its queues. */
export const mysql: Dialect = {
  name: 'mysql',
  lexicalRules,
  readTable,
  secondOpinion,
  quote,
  leaseStatements: (queue) => leaseStatements(queue, server),
};
