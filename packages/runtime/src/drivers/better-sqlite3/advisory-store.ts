import { InboxError } from '../../errors/inbox-error.js';
import type { OwnLockStatements, SqliteAdvisoryStatements } from '../../spec.js';
import type { Statement } from '../../statement.js';
import type { HoldStore } from '../hold-store.js';
import type { OwnLock } from '../own-lock.js';
import { placeInHold } from '../places.js';
import { refusingHoldStore } from '../refusing-store.js';
import type { AdvisoryTable } from '../tables.js';
import type { SqliteConnection } from './connection.js';
import { databaseIdentity } from './database-file.js';
import { keysInWork, type KeysInWork } from './keys-in-work.js';
import { liveHolds } from './live-holds.js';
import { lostWith, outcomeRequest } from './outcome-request.js';
import { sqliteLocker } from './own-locker.js';
import { ownLockStore } from './own-lock-store.js';
import type { RowStatement } from './settle-request.js';
import { checkedStatements, sqliteTable, type SqliteContext } from './table.js';
import { takeRequest, type Taken } from './take-request.js';
import { namedBinder, rowBinder } from './values.js';

/** Opens a table in advisory form: with the process's own keys, or with its author's lock. */
export function openAdvisoryStore(
  context: SqliteContext,
  table: AdvisoryTable<'sqlite'>,
  ownLock: OwnLock<'sqlite'> | undefined,
): HoldStore {
  const statements = table.statements.sqlite;
  if (keepsKeys(statements)) return sqliteAdvisoryStore(context, table, statements);
  const locker = sqliteLocker(context, table, statements, ownLock);
  return locker === undefined
    ? refusingHoldStore(
        new InboxError(
          'bad-option',
          `Queue ${table.queue}: the table has a lock of its own, and the queue was given no lock functions. Give them to its constructor.`,
          { queue: table.queue },
        ),
      )
    : ownLockStore(context, table, statements, locker);
}

/** Only where this process keeps the keys does the search for candidates leave those in work out. */
function keepsKeys(
  statements: SqliteAdvisoryStatements | OwnLockStatements,
): statements is SqliteAdvisoryStatements {
  return statements.candidates.values.includes('inWork');
}

/**
 * A table in advisory form on SQLite. The keys of the rows in work are kept by this process, for all
 * handles on the file, so the form is for one process a file (a worker thread counts as another).
 * Claims and settlements of one turn of the event loop share one transaction, and a claim may take
 * a key that is freed by the same commit.
 */
function sqliteAdvisoryStore(
  context: SqliteContext,
  table: AdvisoryTable<'sqlite'>,
  statements: SqliteAdvisoryStatements,
): HoldStore {
  const { given, connector, writer } = context;
  const { clock } = writer;
  const ofRow = (statement: Statement): RowStatement => ({
    text: statement.text,
    bind: rowBinder(statement, (value) => placeInHold(value, table), clock),
  });
  const claims = {
    candidates: {
      text: statements.candidates.text,
      bind: namedBinder(statements.candidates, clock),
    },
    take: ofRow(statements.take),
  };
  const verbs = {
    ack: ofRow(statements.ack),
    // The count was written by the claim, so a row that was not finished has only its key to free.
    retry: undefined,
    release: statements.release === undefined ? undefined : ofRow(statements.release),
  };
  const live = liveHolds(connector);

  let known: KeysInWork | undefined;
  const keysOf = ({ handle }: SqliteConnection): KeysInWork =>
    (known ??= keysInWork(databaseIdentity(handle, table.table)));

  function held({ key, cells }: Taken): ReturnType<typeof live.add> {
    const keys = known;
    const holder = { isOpen: () => given.open };
    const free = (): void => keys?.free(key, holder);
    keys?.hold(key, holder);
    return live.add({
      cells,
      lockKey: key,
      end: free,
      settle: (verb, ended) =>
        new Promise((resolve) => {
          const statement = verbs[verb];
          if (statement === undefined) {
            const why = ended();
            free();
            resolve(why === undefined ? { state: 'done', closed: false } : lostWith(why));
            return;
          }
          const settling = { statement, cells, holder, lost: ended };
          writer.add(
            outcomeRequest(settling, writer.deadlineOf(verb), (settled) => {
              free();
              resolve(settled);
            }),
          );
        }),
    });
  }

  return {
    ...sqliteTable(context, table, statements.insert, checkedStatements({ ...statements })),
    rowsPerClaim: Infinity,
    claim: (limit) =>
      new Promise((resolve, reject) => {
        writer.add(
          takeRequest(claims, limit, keysOf, writer.deadline(), {
            resolve: (taken) => {
              resolve(taken.map(held));
            },
            reject,
          }),
        );
      }),
  };
}
