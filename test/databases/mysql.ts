import { mysql } from 'inbox-runtime/mysql2';

import { familyBench, type FamilyBench } from './mysql-family.js';

/** MySQL. */
export const mysqlBench: FamilyBench = familyBench({
  name: 'mysql',
  variable: 'MYSQL_URL',
  over: mysql,
  sessionLocks: (schema) =>
    `SELECT processlist_id AS id, object_name AS what
     FROM performance_schema.metadata_locks
     JOIN performance_schema.threads ON thread_id = owner_thread_id
     WHERE object_type = 'USER LEVEL LOCK' AND lock_status = 'GRANTED'
       AND processlist_db = '${schema}'`,
  // MySQL ends no statement that locks or writes after a time, but its waiting for a lock.
  statementLimit: (seconds) =>
    `SET SESSION lock_wait_timeout = ${seconds}, innodb_lock_wait_timeout = ${seconds}`,
});
