import { mariadb } from 'inbox-runtime/mysql2';

import { familyBench, type FamilyBench } from './mysql-family.js';

/** MariaDB. */
export const mariadbBench: FamilyBench = familyBench({
  name: 'mariadb',
  variable: 'MARIADB_URL',
  over: (pool) => mariadb(pool),
});
