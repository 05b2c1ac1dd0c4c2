import type { LeaseStore } from '../database.js';
import type { LeaseTable } from '../tables.js';
import { checkPostgres } from './check.js';
import { pgInserter } from './insert.js';
import { leaseLimits } from './limits.js';
import type { PgSession } from './session.js';
import { pgSettler } from './settle.js';
import { pgText } from './text.js';
import { claimBinder } from './values.js';

/** A table in lease form on Postgres. */
export function pgLeaseStore(session: PgSession, table: LeaseTable<'postgres'>): LeaseStore {
  const statements = table.statements.postgres;
  const one = {
    text: pgText(statements.claimOne),
    bind: claimBinder(statements.claimOne, session.clock),
  };
  const many = {
    text: pgText(statements.claim),
    bind: claimBinder(statements.claim, session.clock),
  };
  const inserter = pgInserter(session, table.queue, statements.insert);

  return {
    check: () => checkPostgres(session, table, statements, leaseLimits),
    async claim(limit, lease) {
      const { text, bind } = limit === 1 ? one : many;
      const answer = await session.send(text, bind(limit, lease));
      if (answer.kind === 'failed') throw answer.error;
      return answer;
    },
    settle: pgSettler(session, table),
    synchronousTx: false,
    insert: (rows) => inserter.insert(rows),
    insertInto: (tx, rows) => inserter.insertInto(tx, rows),
  };
}
