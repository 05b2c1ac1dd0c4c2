import type { Hold, HoldSettled, HoldVerb } from '../drivers/hold-store.js';
import { messageOf, show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { limitReport, refuseBeyondLimit } from './connection-rules.js';
import type { SettledAs } from './events.js';
import type { Form } from './form.js';
import { isUndecided, rowEvent, type SettleListener } from './held.js';
import {
  holdRow,
  loseHold,
  loseUnwritten,
  type HoldContext,
  type HoldingKind,
  type HoldRow,
} from './hold-row.js';

/**
 * How long a stopping worker waits for rows that it gave back, in milliseconds. A claim or settlement
 * in flight is answered or given up within the driver's `answerTimeout`; only then is nothing left.
 */
const lastWait = 60_000;

/** The form of a table whose rows are held by sessions. */
export interface HoldingForm extends Form<HoldRow> {
  /** How a row is settled whose delivery was dropped undecided. */
  readonly abandonedAs: HoldingKind['abandonedAs'];
}

/**
 * A form whose rows are held by a session while they are in work: row lock or advisory. Each row is
 * settled alone, on the session that holds it. A claim goes out only with a connection that the
 * budget has given for every row that it may bring; what it does not bring is given back at once,
 * and the rest when each row is settled or lost.
 */
export function holdingForm(context: HoldContext): HoldingForm {
  const { kind, store, connections, inWork, reporter, wakes, queue } = context;
  const rows = new Set<HoldRow>();
  let connectionsClosed = 0;
  let leave = (): void => undefined;

  function claim(limit: number, idle: boolean): Promise<readonly HoldRow[]> | undefined {
    const wanted = Math.min(limit, store.rowsPerClaim);
    const busy = inWork.count;
    const taken = connections.take(wanted);
    if (taken === 0) return undefined;
    inWork.count += taken;
    return store.claim(taken, { busy, idle }).then(
      (holds) => {
        giveBack(taken - holds.length);
        return holds.map(begin);
      },
      (error: unknown) => {
        giveBack(taken);
        throw error;
      },
    );
  }

  function giveBack(count: number): void {
    inWork.count -= count;
    connections.giveBack(count);
  }

  function begin(hold: Hold): HoldRow {
    const row = holdRow(hold);
    rows.add(row);
    if (reporter.listened()) {
      reporter.report({ kind: 'claimed', ...rowEvent(context, row), lease: null });
    }
    hold.onEnd((error) => {
      if (!isUndecided(row)) return;
      loseHold(context, row, error);
      // The connection is no use any more; the handler may take its time.
      settleHold(hold, 'release', (settled) => {
        free(row, settled);
        wakes.wake();
      });
    });
    return row;
  }

  function free(row: HoldRow, { closed, unlockProblem }: HoldSettled): void {
    if (closed) connectionsClosed += 1;
    giveBack(1);
    if (unlockProblem !== undefined) {
      const error = unlockFailed(context, row, unlockProblem);
      reporter.report({ kind: 'unlock-failed', ...rowEvent(context, row), error });
    }
  }

  function settle(
    row: HoldRow,
    as: SettledAs,
    _after: number | null,
    listener: SettleListener<HoldRow>,
  ): void {
    row.as = as;
    row.phase = 'settling';
    settleHold(row.hold, as === 'drop' ? 'ack' : as, (settled) => {
      free(row, settled);
      listener(row, ended(row, settled));
    });
  }

  function ended(row: HoldRow, settled: HoldSettled): InboxError | undefined {
    if (settled.state === 'lost') {
      const lose = settled.unwritten === true ? loseUnwritten : loseHold;
      const error = lose(context, row, settled.error);
      wakes.wake();
      return error;
    }
    row.phase = 'settled';
    if (settled.state === 'failed') return failed(row, settled.error, settled.ambiguous);
    const { as } = row;
    if (reporter.listened()) {
      reporter.report({ kind: 'settled', ...rowEvent(context, row), as, after: null });
    }
    if (kind.freesKeys || as === 'retry' || as === 'release') wakes.wake();
    return undefined;
  }

  function failed(row: HoldRow, cause: unknown, ambiguous: boolean): InboxError {
    const { as } = row;
    const id = context.keyOf(row.fence);
    const rest = ambiguous
      ? 'It may have taken effect all the same; if not, the row is back in the queue'
      : 'Nothing was changed, and the row is back in the queue';
    const error = new InboxError(
      'settle-failed',
      `Queue ${queue}, row ${show(id)}: ${as} failed: ${messageOf(cause)}. ${rest}.`,
      { queue, id, cause },
    );
    reporter.report({ kind: 'settle-failed', ...rowEvent(context, row), as, error });
    return error;
  }

  return {
    context,
    store,
    rows,
    rowsPerClaim: store.rowsPerClaim,
    // On connections that are free just then, for as long as a settlement takes; who has set a limit
    // of their own counts on it.
    settlesAhead:
      store.rowsPerClaim > 1 || (store.chains !== true && connections.limit === undefined),
    delays: false,
    abandonedAs: kind.abandonedAs,
    lastWait,
    get connectionsClosed() {
      return connectionsClosed;
    },
    enter(concurrency) {
      if (store.rowsPerClaim > 1) return;
      leave = refuseBeyondLimit(queue, connections, concurrency);
      const limited = limitReport(queue, connections, concurrency);
      if (limited !== undefined) reporter.report(limited);
    },
    claim,
    whenFree: (listener) => connections.whenFree(listener),
    isProved: () => true,
    settle,
    lostError: ({ lostWith }) => lostWith,
    forget(row) {
      rows.delete(row);
    },
    end() {
      leave();
    },
  };
}

/** An author's own lock that could not be given back, in words of the queue's. */
function unlockFailed({ queue, keyOf }: HoldContext, row: HoldRow, problem: unknown): InboxError {
  const id = keyOf(row.fence);
  // A driver may have said already whose part it was that failed.
  const told = problem instanceof InboxError && problem.code === 'own-lock-failed';
  const cause = told && problem.cause !== undefined ? problem.cause : problem;
  return new InboxError(
    'own-lock-failed',
    `Queue ${queue}, row ${show(id)}: the lock of its key could not be given back: ${messageOf(cause)}. What became of the row stands. A lock that does not end with the connection keeps the key from everybody: free it, and see to it that the table's own unlock answers true and throws nothing.`,
    { queue, id, cause },
  );
}

function settleHold(hold: Hold, verb: HoldVerb, then: (settled: HoldSettled) => void): void {
  hold.settle(verb).then(then, (error: unknown) => {
    then({ state: 'failed', error, ambiguous: true, closed: true });
  });
}
