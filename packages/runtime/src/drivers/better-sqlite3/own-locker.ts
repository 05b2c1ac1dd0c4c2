import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { OwnLockStatements } from '../../spec.js';
import type { Cell, Statement } from '../../statement.js';
import type { OwnLock } from '../own-lock.js';
import type { DriverTable } from '../tables.js';
import { isBusy } from './failure.js';
import { prepareExactly, type SqliteHandle, type SqliteStatement } from './handle.js';
import type { SqliteContext } from './table.js';
import { namedBinder } from './values.js';

/** The lock of a table's author. It runs on the handle that the author gave, with its functions. */
export interface Locker {
  /**
   * False where somebody holds the key. Rejects with an `InboxError` with code `own-lock-failed` where
   * the lock throws or does not answer in time; one that comes after that is given back.
   */
  lock(key: string): Promise<boolean>;
  /** False where it was not held. Rejects where the unlock throws or does not answer in time. */
  unlock(key: string): Promise<boolean>;
}

/**
 * How long a function of the author's may take to answer, in milliseconds: it may ask a service
 * anywhere. As long as the other databases wait for an answer.
 */
const answerTimeout = 30_000;

/** The lock as its author wrote it: two functions, or two statements; undefined where it is neither. */
export function sqliteLocker(
  { given, writer: { clock, budget } }: SqliteContext,
  { queue }: DriverTable,
  { lock, unlock }: OwnLockStatements,
  functions: OwnLock<'sqlite'> | undefined,
): Locker | undefined {
  const own: Locker | undefined =
    functions !== undefined
      ? answeredInTime(
          {
            lock: async (key) => functions.lock(given, key),
            unlock: async (key) => functions.unlock(given, key),
          },
          clock,
        )
      : lock !== undefined && unlock !== undefined
        ? {
            lock: asked(given, lock, clock, budget),
            unlock: asked(given, unlock, clock, budget),
          }
        : undefined;
  if (own === undefined) return undefined;
  return {
    async lock(key) {
      try {
        return await own.lock(key);
      } catch (cause) {
        throw new InboxError(
          'own-lock-failed',
          `Queue ${queue}: the table's own lock failed for the key '${key}': ${messageOf(cause)}. It is to answer true or false, and to throw nothing.`,
          { queue, cause },
        );
      }
    },
    unlock: (key) => own.unlock(key),
  };
}

/** Functions that may never answer. A lock that is given up and comes later is given back. */
function answeredInTime(own: Locker, clock: Clock): Locker {
  return {
    async lock(key) {
      const answer = own.lock(key);
      try {
        return await inTime(answer, clock);
      } catch (error) {
        answer
          .then(
            (locked) => (locked ? own.unlock(key) : false),
            () => false,
          )
          .catch(() => false);
        throw error;
      }
    },
    unlock: (key) => inTime(own.unlock(key), clock),
  };
}

/**
 * Asks with a statement; again while the file or the handle is busy, for `budget` milliseconds, as the
 * others of this adapter do.
 */
function asked(
  given: SqliteHandle,
  statement: Statement,
  clock: Clock,
  budget: number,
): (key: string) => Promise<boolean> {
  const bind = namedBinder(statement, clock);
  let prepared: SqliteStatement | undefined;
  return async (key) => {
    const until = clock.monotonic() + budget;
    for (;;) {
      try {
        prepared ??= prepareExactly(given, statement.text);
        const row = prepared.get(bind({ lock: key })) as readonly Cell[] | undefined;
        return isTrue(row?.[0]);
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() >= until) throw error;
        await new Promise<void>((resolve) => {
          clock.after(5, resolve);
        });
      }
    }
  };
}

/** As SQLite has it, any number but 0 is true. */
function isTrue(cell: Cell | undefined): boolean {
  if (typeof cell === 'bigint' || typeof cell === 'number') return Number(cell) !== 0;
  return cell === 'true';
}

function inTime(answer: Promise<boolean>, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(answerTimeout, () => {
      reject(new Error(`it did not answer within ${answerTimeout} ms`));
    });
    answer.then(resolve, reject).finally(() => {
      timer.cancel();
    });
  });
}
