import type { Clock } from '../../clock/clock.js';
import { afterTurnEnd } from '../../clock/turn.js';
import type { HoldVerb } from '../hold-store.js';
import type { SqliteConnection, SqliteConnector } from './connection.js';
import { isBusy, stillLocked } from './failure.js';
import type { Transact, WriteRequest, WriteTransaction } from './request.js';

/** The one writer of a file in this process. */
export interface SqliteWriter {
  /** Does a request in the transaction that ends this turn of the event loop. */
  add(request: WriteRequest): void;
  /** The monotonic time until which a request that is made now waits for a locked file. */
  deadline(): number;
  /** The same for the settlement of a held row: a release, which ends a worker, waits less. */
  deadlineOf(verb: HoldVerb): number;
  /** How long a locked file is waited for, in milliseconds. */
  readonly budget: number;
  readonly clock: Clock;
}

/** The longest pause between two tries for a locked file, in milliseconds. */
const longestPause = 25;

/** The longest that the release of a held row waits for a locked file, in milliseconds. */
const releaseBudget = 5_000;

/**
 * The writer of a connection: what is waiting at the end of a turn of the event loop goes into one
 * `BEGIN IMMEDIATE` transaction, settlements and inserts first, claims last. A locked file is asked
 * for again from a timer, until `budget` milliseconds have passed. Claims alone look before they
 * ask for the write lock.
 */
export function sqliteWriter(
  connector: SqliteConnector,
  clock: Clock,
  budget: number,
): SqliteWriter {
  let writes: WriteRequest[] = [];
  let claims: WriteRequest[] = [];
  let scheduled = false;
  // True while a timer is set to ask for the file again, or to commit again.
  let pausing = false;
  let tries = 0;

  function add(request: WriteRequest): void {
    (request.kind === 'claim' ? claims : writes).push(request);
    schedule();
  }

  function schedule(): void {
    if (scheduled || pausing) return;
    scheduled = true;
    afterTurnEnd(() => {
      scheduled = false;
      flush();
    });
  }

  function flush(): void {
    if (pausing) return;
    let requests = writes.length === 0 ? claims : writes.concat(claims);
    const nothingToWrite = writes.length === 0;
    writes = [];
    claims = [];
    if (requests.length === 0) return;
    try {
      const connection = connector.open();
      if (isCallersTurn(connection)) {
        askAgain(requests);
        return;
      }
      if (nothingToWrite) requests = answerIdle(connection, requests);
      if (requests.length > 0) transaction(connection, requests);
    } catch (error) {
      if (isBusy(error)) askAgain(requests);
      else for (const request of requests) request.fail(error);
    }
  }

  function newTransaction(): WriteTransaction {
    return { sentAt: clock.monotonic(), freed: new Set(), taken: new Set() };
  }

  function transaction(connection: SqliteConnection, requests: readonly WriteRequest[]): void {
    connection.begin.run([]);
    tries = 0;
    const written = newTransaction();
    try {
      for (const request of requests) request.perform(connection, written);
    } catch {
      rollBack(connection);
      oneByOne(connection, requests);
      return;
    }
    commit(connection, requests);
  }

  function commit(connection: SqliteConnection, requests: readonly WriteRequest[]): void {
    try {
      connection.commit.run([]);
    } catch (error) {
      if (!isBusy(error)) {
        // A deferred constraint, say: some row of some request breaks it.
        rollBack(connection);
        oneByOne(connection, requests);
      } else if (connection.shared || requests.some(isLate)) {
        // Left open over a turn, a shared handle would take in the caller's own statements.
        rollBack(connection);
        askAgain(requests);
      } else {
        pause(() => {
          commit(connection, requests);
        });
      }
      return;
    }
    for (const request of requests) request.answer();
  }

  function oneByOne(connection: SqliteConnection, requests: readonly WriteRequest[]): void {
    const transact: Transact = (run) => {
      if (isCallersTurn(connection)) return false;
      try {
        connection.begin.run([]);
        run(newTransaction());
        connection.commit.run([]);
        return true;
      } catch (error) {
        rollBack(connection);
        if (isBusy(error)) return false;
        throw error;
      }
    };
    const left = requests.filter((request) => {
      if (request.performAlone(connection, transact)) {
        request.answer();
        return false;
      }
      return !gaveUp(request);
    });
    if (left.length === 0) return;
    pause(() => {
      oneByOne(connection, left);
    });
  }

  function isLate({ deadline }: WriteRequest): boolean {
    return deadline <= clock.monotonic();
  }

  /** Fails a request whose time is over. */
  function gaveUp(request: WriteRequest): boolean {
    const late = isLate(request);
    if (late) request.fail(stillLocked(budget, undefined));
    return late;
  }

  function askAgain(requests: readonly WriteRequest[]): void {
    const left = requests.filter((request) => !gaveUp(request));
    writes = left.filter(({ kind }) => kind === 'write').concat(writes);
    claims = left.filter(({ kind }) => kind === 'claim').concat(claims);
    if (left.length > 0) pause(flush);
  }

  function pause(next: () => void): void {
    pausing = true;
    tries += 1;
    clock.after(1 + Math.random() * Math.min(2 ** tries, longestPause), () => {
      pausing = false;
      next();
      if (writes.length + claims.length > 0) schedule();
    });
  }

  return {
    add,
    deadline: () => clock.monotonic() + budget,
    deadlineOf: (verb) =>
      clock.monotonic() + (verb === 'release' ? Math.min(budget, releaseBudget) : budget),
    budget,
    clock,
  };
}

/** Whether the caller has left a transaction of its own open on a handle that we share. */
function isCallersTurn(connection: SqliteConnection): boolean {
  return connection.shared && connection.handle.inTransaction;
}

/** Answers the claims that find nothing due, or that cannot look, and leaves the others. */
function answerIdle(connection: SqliteConnection, claims: readonly WriteRequest[]): WriteRequest[] {
  // All are asked before one is answered: an answered claim must not be asked again.
  const found = claims.map((claim) => {
    try {
      return { idle: claim.isIdle(connection) };
    } catch (error) {
      if (isBusy(error)) throw error;
      return { error };
    }
  });
  return claims.filter((claim, index) => {
    const look = found[index];
    if (look?.error !== undefined) claim.fail(look.error);
    else if (look?.idle === true) claim.answer();
    return look?.idle === false;
  });
}

function rollBack(connection: SqliteConnection): void {
  if (connection.handle.inTransaction) connection.rollback.run([]);
}
