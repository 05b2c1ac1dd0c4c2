import { InboxError } from '../../errors/inbox-error.js';
import type { Statement } from '../../statement.js';
import type { LeaseStore, LeaseTable } from '../database.js';
import { checkSqlite } from './check.js';
import { claimRequest } from './claim-request.js';
import type { SqliteConnector } from './connection.js';
import { isBusy } from './failure.js';
import { isHandle, prepareExactly, type SqliteHandle, type SqliteStatement } from './handle.js';
import { insertAllOrNone, insertRequest } from './insert-request.js';
import { settleRequest } from './settle-request.js';
import { claimBinder, rowBinder, type RowBinder } from './values.js';
import type { SqliteWriter } from './writer.js';

/** A table in lease form on SQLite. */
export function sqliteLeaseStore(
  given: SqliteHandle,
  connector: SqliteConnector,
  writer: SqliteWriter,
  table: LeaseTable<'sqlite'>,
): LeaseStore {
  const { clock } = writer;
  const statements = table.statements.sqlite;
  const ofRow = (statement: Statement): { text: string; bind: RowBinder } => ({
    text: statement.text,
    bind: rowBinder(statement, table, clock),
  });
  const verbs = {
    ack: ofRow(statements.ack),
    retry: ofRow(statements.retry),
    release: ofRow(statements.release),
    extend: ofRow(statements.extend),
  };
  const claims = {
    due: { text: statements.due.text, bind: claimBinder(statements.due, clock) },
    claim: { text: statements.claim.text, bind: claimBinder(statements.claim, clock) },
    stamp: ofRow(statements.stamp),
  };
  const insert = ofRow(statements.insert);
  const insertOn = new WeakMap<SqliteHandle, SqliteStatement>();

  async function check(): Promise<void> {
    const until = writer.deadline();
    for (;;) {
      try {
        checkSqlite(given, connector, table);
        return;
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() >= until) throw error;
        await new Promise<void>((resolve) => {
          clock.after(10, resolve);
        });
      }
    }
  }

  return {
    check,
    claim: (limit, lease) =>
      new Promise((resolve, reject) => {
        writer.add(claimRequest(claims, limit, lease, writer.deadline(), { resolve, reject }));
      }),
    settle: (settlements) =>
      new Promise((resolve) => {
        writer.add(settleRequest(verbs, settlements, writer.deadline(), resolve));
      }),
    synchronousTx: true,
    insert: (rows) =>
      new Promise((resolve, reject) => {
        writer.add(insertRequest(insert, rows, writer.deadline(), { resolve, reject }));
      }),
    insertInto(tx, rows) {
      if (!isHandle(tx)) {
        throw new InboxError(
          'wrong-transaction',
          `Queue ${table.queue}: "tx" is no better-sqlite3 Database. Give the handle that your transaction runs on.`,
          { queue: table.queue },
        );
      }
      let statement = insertOn.get(tx);
      if (statement === undefined) {
        statement = prepareExactly(tx, insert.text);
        insertOn.set(tx, statement);
      }
      return insertAllOrNone(tx, statement, insert.bind, rows);
    },
  };
}
