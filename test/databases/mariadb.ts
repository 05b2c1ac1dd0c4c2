import { mariadb } from 'inbox-runtime/mysql2';

import { keys } from './lock-names.js';
import { familyBench, type FamilyBench } from './mysql-family.js';

/** MariaDB. */
export const mariadbBench: FamilyBench = familyBench({
  name: 'mariadb',
  variable: 'MARIADB_URL',
  over: mariadb,
  // MariaDB lists no locks of GET_LOCK, so those are asked for that the suite's keys can have.
  sessionLocks: (schema) => {
    const numbered = ['jobs-', 'bare-jobs-', 'custom-'].map(
      (prefix) => `SELECT CONCAT('${schema}.${prefix}', seq) AS name FROM seq_0_to_2000`,
    );
    const given = Object.values(keys).map((key) => `SELECT '${schema}.${key}' AS name`);
    return `SELECT IS_USED_LOCK(name) AS id, name AS what
     FROM (SELECT IF(LENGTH(name) > LEAST(CHAR_LENGTH(name), 64), SHA2(name, 256), name) AS name
           FROM (${[...numbered, ...given].join(' UNION ALL ')}) given) names
     WHERE IS_USED_LOCK(name) IS NOT NULL`;
  },
  statementLimit: (seconds) => `SET SESSION max_statement_time = ${seconds}`,
});
