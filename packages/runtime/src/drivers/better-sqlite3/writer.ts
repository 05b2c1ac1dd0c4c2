import type { Clock } from '../../clock/clock.js';
import { afterTurnEnd } from '../../clock/turn.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { SqliteConnection, SqliteConnector } from './connection.js';
import { isBusy } from './failure.js';
import type { Transact, WriteRequest } from './request.js';

/** The one writer of a file in this process. */
export interface SqliteWriter {
  /** Does a request in the transaction that ends this turn of the event loop. */
  add(request: WriteRequest): void;
  /** The monotonic time until which a request that is made now waits for a locked file. */
  deadline(): number;
  readonly clock: Clock;
}

/** The longest pause between two tries for a locked file, in milliseconds. */
const longestPause = 25;

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
      if (nothingToWrite) requests = answerIdle(connection, requests);
      if (requests.length > 0) transaction(connection, requests);
    } catch (error) {
      if (isBusy(error)) askAgain(requests);
      else for (const request of requests) request.fail(error);
    }
  }

  function transaction(connection: SqliteConnection, requests: readonly WriteRequest[]): void {
    // The caller may have left a transaction open on a handle that we share.
    if (connection.handle.inTransaction) {
      askAgain(requests);
      return;
    }
    connection.begin.run([]);
    tries = 0;
    const sentAt = clock.monotonic();
    try {
      for (const request of requests) request.perform(connection, sentAt);
    } catch {
      oneByOne(connection, requests);
      return;
    }
    commit(connection, requests, sentAt + budget);
  }

  function commit(
    connection: SqliteConnection,
    requests: readonly WriteRequest[],
    until: number,
  ): void {
    try {
      connection.commit.run([]);
    } catch (error) {
      if (!isBusy(error)) {
        // A deferred constraint, say: some row of some request breaks it.
        oneByOne(connection, requests);
      } else if (connection.shared) {
        // Left open over a turn, it would take in the caller's own statements.
        rollBack(connection);
        askAgain(requests);
      } else if (clock.monotonic() < until) {
        pause(() => {
          commit(connection, requests, until);
        });
      } else {
        rollBack(connection);
        for (const request of requests) request.fail(stillBusy(error));
      }
      return;
    }
    for (const request of requests) request.answer();
  }

  function oneByOne(connection: SqliteConnection, requests: readonly WriteRequest[]): void {
    rollBack(connection);
    const transact: Transact = (run) => {
      connection.begin.run([]);
      try {
        run(clock.monotonic());
        connection.commit.run([]);
      } catch (error) {
        rollBack(connection);
        throw error;
      }
    };
    for (const request of requests) {
      request.performAlone(connection, transact);
      request.answer();
    }
  }

  function askAgain(requests: readonly WriteRequest[]): void {
    const now = clock.monotonic();
    for (const request of requests) {
      if (request.deadline <= now) request.fail(stillBusy(undefined));
    }
    const left = requests.filter(({ deadline }) => deadline > now);
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

  function stillBusy(cause: unknown): InboxError {
    return new InboxError(
      'database-busy',
      `The SQLite file was locked by another connection for ${budget} ms. Keep other write transactions short, or raise "busyTimeout".`,
      { cause },
    );
  }

  return { add, deadline: () => clock.monotonic() + budget, clock };
}

/** Answers the claims that find nothing due, and leaves the others. */
function answerIdle(connection: SqliteConnection, claims: readonly WriteRequest[]): WriteRequest[] {
  // All are asked before one is answered: an answered claim must not be asked again.
  const idle = claims.map((claim) => claim.isIdle(connection));
  return claims.filter((claim, index) => {
    if (idle[index] === true) claim.answer();
    return idle[index] !== true;
  });
}

function rollBack(connection: SqliteConnection): void {
  if (connection.handle.inTransaction) connection.rollback.run([]);
}
