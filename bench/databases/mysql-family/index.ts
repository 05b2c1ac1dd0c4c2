import type { Bench } from '../../bench.js';
import { keyedReportSpec, lockedReportSpec, reportSpec } from '../../generated/index.js';
import { advisoryBench } from './advisory.js';
import { leaseBench } from './lease.js';
import { rowLockBench } from './row-lock.js';
import { openMariadbServer, openMysqlServer, type MysqlServer } from './server.js';

/** MySQL at `MYSQL_URL`. */
export async function openMysql(): Promise<Bench> {
  return benchOf(await openMysqlServer(), 'mysql');
}

/** MariaDB at `MARIADB_URL`. */
export async function openMariadb(): Promise<Bench> {
  return benchOf(await openMariadbServer(), 'mariadb');
}

function benchOf(server: MysqlServer, name: 'mysql' | 'mariadb'): Bench {
  return {
    ...server,
    forms: {
      lease: leaseBench(server, reportSpec.statements[name]),
      'row-lock': rowLockBench(server, lockedReportSpec.statements[name]),
      advisory: advisoryBench(server, keyedReportSpec.statements[name]),
    },
  };
}
