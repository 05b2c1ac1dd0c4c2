import type { Timer } from '../clock/clock.js';
import { atTurnEnd } from '../clock/turn.js';
import type { Duration } from '../duration.js';
import { messageOf } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import type { Form } from '../forms/form.js';
import { abortRow, isUndecided, type Held } from '../forms/held.js';
import { claiming } from './claiming.js';
import { rowHandler, type HandlerParts } from './handle.js';
import { stopTimeout } from './stop-timeout.js';
import { emptyTally, type WorkerTally } from './tally.js';

/** A running worker. */
export interface Worker {
  /**
   * Resolves when the database, the table and every statement have been checked; the worker claims
   * from then on. Rejects with one `InboxError`, and the worker has then stopped by itself.
   */
  readonly ready: Promise<void>;
  /** Resolves with what the worker did, when it has stopped for whatever reason. */
  readonly stopped: Promise<WorkerTally>;
  /**
   * Stops: no new claims; handlers may finish until the timeout (default `'30s'`), then their
   * signals abort and what is still undecided is given back with its attempt. Resolves with what
   * the worker did. May be called again, also with an earlier timeout. Never throws or rejects: a
   * timeout that is none counts as the default, with a process warning.
   */
  stop(options?: { readonly timeout?: Duration | undefined }): Promise<WorkerTally>;
  /** What the worker has done and is doing. */
  stats(): WorkerStats;
}

/** A moment's numbers of a worker. */
export interface WorkerStats extends WorkerTally {
  /** Rows whose handler runs, or that are held until their back-off is over. */
  readonly running: number;
  /** Rows that are decided, and whose settlement is not committed yet. */
  readonly settling: number;
}

/** What a worker is made of. `poll` is in milliseconds. */
export interface WorkerParts<Row extends Held> extends HandlerParts<Row> {
  readonly concurrency: number;
  readonly poll: number;
}

/**
 * `working` claims; `draining` lets handlers finish; `aborting` has aborted them and waits only for
 * the rows to be given back.
 */
type WorkerState = 'starting' | 'working' | 'draining' | 'aborting' | 'stopped';

/** Starts a worker over a form that it has for itself. */
export function startWorker<Row extends Held>(form: Form<Row>, parts: WorkerParts<Row>): Worker {
  const { concurrency } = parts;
  const { rows, context } = form;
  const { queue, clock, reporter } = context;
  // Where each row has a connection of its own, one more row is enough to keep claims and settlements
  // going at once, and more connections would only be in each other's way.
  const ahead = form.rowsPerClaim === 1 ? 1 : concurrency;
  const mostRows = form.settlesAhead ? concurrency + ahead : concurrency;
  const tally = emptyTally();
  let state: WorkerState = 'starting';
  let checking = true;
  let running = 0;
  /** Places that stay empty for a while. */
  const pauses = new Set<Timer>();
  let deadline: { readonly timer: Timer; readonly at: number } | undefined;
  let tellStopped: (tally: WorkerTally) => void;
  const stopped = new Promise<WorkerTally>((resolve) => {
    tellStopped = resolve;
  });

  const handler = rowHandler(form, parts, tally, {
    handled() {
      running -= 1;
      progressed();
    },
    settled(held, pause) {
      form.forget(held);
      if (pause > 0 && state === 'working') keepPlaceEmpty(pause);
      progressed();
    },
  });

  const claims = claiming(form, {
    concurrency,
    poll: parts.poll,
    room: () =>
      state === 'working' ? Math.min(concurrency - running, mostRows - rows.size) - pauses.size : 0,
    claimed: take,
    answered: stopIfDone,
  });

  function progressed(): void {
    if (state === 'working') claims.pump();
    else stopIfDone();
  }

  function keepPlaceEmpty(milliseconds: number): void {
    const timer = clock.after(milliseconds, () => {
      pauses.delete(timer);
      progressed();
    });
    pauses.add(timer);
  }

  function take(claimed: readonly Row[]): void {
    tally.claimed += claimed.length;
    const [first] = claimed;
    // The claim came back too late, for the worker or for its own lease.
    const late = state !== 'working' || (first !== undefined && !form.isProved(first));
    for (const held of claimed) {
      if (late) {
        handler.giveBack(held);
      } else {
        running += 1;
        handler.handle(held);
      }
    }
  }

  function stop(timeout: number): Promise<WorkerTally> {
    if (state === 'starting' || state === 'working') {
      state = 'draining';
      claims.end();
      for (const pause of pauses) pause.cancel();
      handler.hurry();
    }
    const at = clock.monotonic() + timeout;
    if (state === 'draining' && (deadline === undefined || at < deadline.at)) {
      deadline?.timer.cancel();
      deadline = { timer: clock.after(timeout, abort), at };
      // Not at once: a stop from within a handler is no reason to see that handler as done.
      atTurnEnd(stopIfDone);
    }
    return stopped;
  }

  function abort(): void {
    if (state !== 'draining') return;
    state = 'aborting';
    const reason = new InboxError(
      'worker-stopped',
      `Queue ${queue}: the worker is stopping and its time is up. The row is given back.`,
      { queue },
    );
    for (const held of rows) {
      if (isUndecided(held)) abortRow(held, reason);
    }
    // Handlers that obey their signal at once decide for themselves.
    setImmediate(() => {
      for (const held of rows) {
        handler.giveBack(held);
      }
      stopIfDone();
    });
    deadline = { timer: clock.after(form.lastWait, finish), at: 0 };
  }

  function stopIfDone(): void {
    if (state === 'stopped' || state === 'working' || state === 'starting') return;
    const drained = state === 'aborting' || (running === 0 && !checking);
    if (drained && rows.size === 0 && claims.inFlight === 0) finish();
  }

  function finish(): void {
    if (state === 'stopped') return;
    state = 'stopped';
    tally.unsettled = rows.size;
    claims.end();
    deadline?.timer.cancel();
    form.end();
    if (reporter.listened()) reporter.report({ kind: 'stopped', queue });
    tellStopped(counts());
  }

  function counts(): WorkerTally {
    return { ...tally, connectionsClosed: form.connectionsClosed };
  }

  async function start(): Promise<void> {
    try {
      form.enter(concurrency);
      const limits = await form.store.check();
      if (state === 'starting') {
        for (const limit of limits) reporter.report({ kind: 'server-limit', queue, ...limit });
      }
    } catch (cause) {
      checking = false;
      const error = startFailed(queue, cause);
      if (state !== 'stopped') reporter.report({ kind: 'start-failed', queue, error });
      finish();
      throw error;
    }
    checking = false;
    if (state === 'stopped') throw stoppedBeforeReady(queue);
    if (state === 'starting') {
      state = 'working';
      claims.pump();
    } else stopIfDone();
  }

  // Not at once: no event may come before the caller has its worker.
  const ready = Promise.resolve().then(start);
  ready.catch(() => undefined);

  return {
    ready,
    stopped,
    stop: (options) => stop(stopTimeout(queue, options?.timeout)),
    stats: () => ({ ...counts(), running, settling: Math.max(0, rows.size - running) }),
  };
}

function startFailed(queue: string, cause: unknown): InboxError {
  return cause instanceof InboxError
    ? cause
    : new InboxError('database-unreachable', `Queue ${queue}: ${messageOf(cause)}.`, {
        queue,
        cause,
      });
}

function stoppedBeforeReady(queue: string): InboxError {
  return new InboxError(
    'worker-stopped',
    `Queue ${queue}: the worker was stopped before its check had an answer.`,
    { queue },
  );
}
