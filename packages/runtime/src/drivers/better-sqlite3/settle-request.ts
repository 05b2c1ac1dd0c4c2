import { InboxError } from '../../errors/inbox-error.js';
import type { Cell } from '../../statement.js';
import type { Settled, Settlement } from '../database.js';
import type { SqliteConnection } from './connection.js';
import { isTransient } from './failure.js';
import type { SqliteStatement } from './handle.js';
import type { WriteRequest } from './request.js';
import type { RowBinder } from './values.js';

/** The statement of one verb and how its values are bound. */
export interface RowStatement {
  readonly text: string;
  readonly bind: RowBinder;
}

/** The statements that settle one row, by verb. */
export type VerbStatements = Readonly<Record<Settlement['verb'], RowStatement>>;

/**
 * Settles rows one by one inside the shared transaction. A row whose statement throws is `failed`
 * and the others go on: SQLite undoes that statement alone, unless a trigger ended the whole
 * transaction. Nobody else writes meanwhile, so a row is never `busy`.
 */
export function settleRequest(
  statements: VerbStatements,
  settlements: readonly Settlement[],
  deadline: number,
  tell: (settled: readonly Settled[]) => void,
): WriteRequest {
  const settled = new Array<Settled>(settlements.length);
  // How many were settled in transactions of their own.
  let alone = 0;
  return {
    kind: 'write',
    deadline,
    isIdle: () => false,
    perform(connection, { sentAt }) {
      const done = { state: 'done', sentAt } as const;
      settlements.forEach((settlement, index) => {
        try {
          settled[index] = settleRow(connection, statements, settlement, done);
        } catch (error) {
          if (!connection.handle.inTransaction) throw error;
          settled[index] = failed(error);
        }
      });
    },
    performAlone(connection, transact) {
      for (const settlement of settlements.slice(alone)) {
        try {
          const ran = transact(({ sentAt }) => {
            const done = { state: 'done', sentAt } as const;
            settled[alone] = settleRow(connection, statements, settlement, done);
          });
          if (!ran) return false;
        } catch (error) {
          settled[alone] = failed(error);
        }
        alone += 1;
      }
      return true;
    },
    answer() {
      tell(settled);
    },
    fail(error) {
      tell(settled.fill(failed(error), alone));
    },
  };
}

function settleRow(
  connection: SqliteConnection,
  statements: VerbStatements,
  settlement: Settlement,
  done: Extract<Settled, { state: 'done' }>,
): Settled {
  const { text, bind } = statements[settlement.verb];
  const statement = connection.statement(text);
  switch (settlement.verb) {
    case 'extend': {
      // `all`, because a `get` on RETURNING may stop before the change is made.
      const [row] = statement.all(bind(settlement.fence, settlement.lease)) as [Cell][];
      return row === undefined ? lost : { ...done, held: row[0] };
    }
    case 'retry':
      return changed(statement, bind(settlement.fence, settlement.after)) ? done : lost;
    case 'ack':
    case 'release':
      return changed(statement, bind(settlement.fence, null)) ? done : lost;
  }
}

/** Runs a statement that writes one row or none; whether it wrote. */
export function changed(statement: SqliteStatement, values: readonly unknown[]): boolean {
  return statement.reader ? statement.all(values).length > 0 : statement.run(values).changes > 0;
}

const lost: Settled = { state: 'lost' };

function failed(error: unknown): Settled {
  const transient =
    isTransient(error) || (error instanceof InboxError && error.code === 'database-busy');
  return { state: 'failed', error, ambiguous: false, transient };
}
