import type { Cell } from '../../statement.js';
import type { Claimed } from '../database.js';
import type { SqliteConnection } from './connection.js';
import type { WriteRequest } from './request.js';
import type { NamedBinder, RowBinder } from './values.js';

/** The statements of a claim and how their values are bound. */
export interface ClaimStatements {
  readonly due: { readonly text: string; readonly bind: NamedBinder };
  readonly claim: { readonly text: string; readonly bind: NamedBinder };
  readonly stamp: { readonly text: string; readonly bind: RowBinder };
}

type Rows = readonly (readonly Cell[])[];

/**
 * Claims rows inside the shared transaction: reads what is due, in claim order, and writes the
 * expiry into each by its key. A row that cannot be stamped (a trigger or constraint of the table)
 * is left out, so that those behind it are still worked; only where that leaves nothing is it an
 * error.
 */
export function claimRequest(
  statements: ClaimStatements,
  limit: number,
  lease: number,
  deadline: number,
  tell: { readonly resolve: (claimed: Claimed) => void; readonly reject: (error: unknown) => void },
): WriteRequest {
  const { due, claim, stamp } = statements;
  const asked = { limit: BigInt(limit), lease: BigInt(lease) };
  let rows: Rows = [];
  let sentAt = 0;
  let problem: { readonly error: unknown } | undefined;

  function take(connection: SqliteConnection): Rows {
    const found = connection.statement(claim.text).all(claim.bind(asked)) as Rows;
    if (found.length === 0) return found;
    const stamping = connection.statement(stamp.text);
    return found.filter((row) => {
      try {
        return stamping.run(stamp.bind(row, lease)).changes > 0;
      } catch (error) {
        if (!connection.handle.inTransaction) throw error;
        problem = { error };
        return false;
      }
    });
  }

  return {
    kind: 'claim',
    deadline,
    isIdle(connection) {
      rows = [];
      problem = undefined;
      return connection.statement(due.text).get(due.bind(asked)) === undefined;
    },
    perform(connection, transaction) {
      problem = undefined;
      sentAt = transaction.sentAt;
      try {
        rows = take(connection);
      } catch (error) {
        if (!connection.handle.inTransaction) throw error;
        problem = { error };
      }
    },
    performAlone(connection, transact) {
      rows = [];
      try {
        return transact((transaction) => {
          problem = undefined;
          sentAt = transaction.sentAt;
          rows = take(connection);
        });
      } catch (error) {
        rows = [];
        problem = { error };
        return true;
      }
    },
    answer() {
      if (problem !== undefined && rows.length === 0) tell.reject(problem.error);
      else tell.resolve({ rows, sentAt });
    },
    fail: tell.reject,
  };
}
