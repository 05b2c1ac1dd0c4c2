import type { LeaseStore } from '../database.js';
import { checkMysql } from './check.js';
import { mysqlClaimer } from './claim.js';
import { mysqlInserter } from './insert.js';
import type { MysqlServer } from './server.js';
import type { MysqlSession } from './session.js';
import { mysqlSettler } from './settle.js';
import type { MysqlTable } from './table.js';

/** A table in lease form on MySQL or MariaDB. */
export function mysqlLeaseStore(
  session: MysqlSession,
  server: MysqlServer,
  table: MysqlTable,
): LeaseStore {
  const inserter = mysqlInserter(session, table.queue, table.statements.insert);
  return {
    check: () => checkMysql(session, server, table, 'lease'),
    claim: mysqlClaimer(session, table),
    settle: mysqlSettler(session, table),
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}
