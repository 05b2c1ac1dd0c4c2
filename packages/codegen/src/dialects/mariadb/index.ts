import type { Dialect } from '../dialect.js';
import { advisoryStatements } from '../mysql-family/advisory.js';
import { leaseStatements } from '../mysql-family/lease.js';
import { rowLockStatements } from '../mysql-family/row-lock.js';
import { lexicalRules } from './lexical-rules.js';
import { readTable } from './read.js';
import { secondOpinion } from './second-opinion.js';
import { server } from './server.js';

/** MariaDB 10.6 and later: how its DDL is read, and the SQL that works its queues. */
export const mariadb: Dialect = {
  name: 'mariadb',
  lexicalRules,
  readTable,
  secondOpinion,
  leaseStatements: (queue) => leaseStatements(queue, server),
  rowLockStatements: (queue) => rowLockStatements(queue, server),
  advisoryStatements: (queue) => advisoryStatements(queue, server),
};
