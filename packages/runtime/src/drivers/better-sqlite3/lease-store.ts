import type { Statement } from '../../statement.js';
import type { LeaseStore } from '../database.js';
import { placeInFence } from '../places.js';
import type { LeaseTable } from '../tables.js';
import { claimRequest } from './claim-request.js';
import { settleRequest, type RowStatement } from './settle-request.js';
import { checkedStatements, sqliteTable, type SqliteContext } from './table.js';
import { namedBinder, rowBinder } from './values.js';

/** A table in lease form on SQLite. */
export function sqliteLeaseStore(context: SqliteContext, table: LeaseTable<'sqlite'>): LeaseStore {
  const { writer } = context;
  const { clock } = writer;
  const { due, claim, stamp, ack, retry, release, extend, insert } = table.statements.sqlite;
  const ofRow = (statement: Statement): RowStatement => ({
    text: statement.text,
    bind: rowBinder(statement, (value) => placeInFence(value, table), clock),
  });
  const verbs = {
    ack: ofRow(ack),
    retry: ofRow(retry),
    release: ofRow(release),
    extend: ofRow(extend),
  };
  const claims = {
    due: { text: due.text, bind: namedBinder(due, clock) },
    claim: { text: claim.text, bind: namedBinder(claim, clock) },
    stamp: ofRow(stamp),
  };

  return {
    ...sqliteTable(context, table, insert, checkedStatements({ ...table.statements.sqlite })),
    claim: (limit, lease) =>
      new Promise((resolve, reject) => {
        writer.add(claimRequest(claims, limit, lease, writer.deadline(), { resolve, reject }));
      }),
    settle: (settlements) =>
      new Promise((resolve) => {
        writer.add(settleRequest(verbs, settlements, writer.deadline(), resolve));
      }),
  };
}
