import { mysql } from 'inbox-runtime/mysql2';

import { familyBench, type FamilyBench } from './mysql-family.js';

/** MySQL. */
export const mysqlBench: FamilyBench = familyBench({
  name: 'mysql',
  variable: 'MYSQL_URL',
  over: (pool) => mysql(pool),
});
