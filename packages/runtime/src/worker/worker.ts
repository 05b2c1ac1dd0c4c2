import type { Timer } from '../clock/clock.js';
import { atTurnEnd } from '../clock/turn.js';
import type { Duration } from '../duration.js';
import { messageOf } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { requireMilliseconds } from '../errors/options.js';
import { abortRow, isUndecided, type Held } from '../forms/held.js';
import { keeper } from '../forms/keeper.js';
import type { LeaseForm } from '../forms/lease.js';
import { rowHandler, type HandlerParts } from './handle.js';
import { knownTimes } from './known-times.js';
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
   * the worker did. May be called again, also with an earlier timeout; never rejects.
   */
  stop(options?: { readonly timeout?: Duration | undefined }): Promise<WorkerTally>;
  /** What the worker has done and is doing. */
  stats(): WorkerStats;
}

/** A moment's numbers of a worker. */
export interface WorkerStats extends WorkerTally {
  /** Rows whose handler runs. */
  readonly running: number;
  /** Rows that are decided, and whose settlement is not committed yet. */
  readonly settling: number;
}

/** What a worker is made of. Durations are in milliseconds. */
export interface WorkerParts extends HandlerParts {
  readonly concurrency: number;
  readonly lease: number;
  readonly poll: number;
}

/** After a claim that failed, in milliseconds. */
const failedClaimWait = 1_000;
/** How long `stop` waits for the rows it gave back, past its timeout, in milliseconds. */
const lastWait = 5_000;
const defaultStopTimeout = '30s';

/**
 * `working` claims; `draining` lets handlers finish; `aborting` has aborted them and waits only for
 * the rows to be given back.
 */
type WorkerState = 'starting' | 'working' | 'draining' | 'aborting' | 'stopped';

/** Starts a worker. */
export function startWorker(form: LeaseForm, parts: WorkerParts): Worker {
  const { concurrency, lease, poll } = parts;
  const { queue, clock, reporter, wakes, store } = form.context;
  const tally = emptyTally();
  const keeping = keeper(form.context, form.extending, lease);
  const known = knownTimes();
  let state: WorkerState = 'starting';
  let checking = true;
  let running = 0;
  let claiming = false;
  let pumping = false;
  let woken = false;
  let idle:
    { readonly timer: Timer; readonly until: number; readonly wakeable: boolean } | undefined;
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
    isHeld: (held) => keeping.rows.has(held),
    settled(held) {
      keeping.remove(held);
      progressed();
    },
  });

  const unsubscribe = wakes.subscribe((at) => {
    if (at > 0) known.add(at);
    if (at <= 0 && claiming) woken = true;
    if (idle?.wakeable !== true || at >= idle.until) return;
    if (at > 0) {
      waitUntil(at, true);
    } else {
      idle.timer.cancel();
      idle = undefined;
      pump();
    }
  });

  function progressed(): void {
    if (state === 'working') pump();
    else stopIfDone();
  }

  /** Claims at the end of this turn of the event loop, for every handler that is free then. */
  function pump(): void {
    if (pumping || claiming || idle !== undefined) return;
    pumping = true;
    atTurnEnd(() => {
      pumping = false;
      if (state !== 'working' || claiming || idle !== undefined) return;
      if (anyDecidedTooLate()) return;
      const free = Math.min(concurrency - running, 2 * concurrency - keeping.rows.size);
      if (free > 0) claim(free);
    });
  }

  /**
   * A handler that blocked the event loop past its lease has a row that is decided and due again. A
   * claim beside its settlement could take that row from it; the settlement's answer pumps again.
   */
  function anyDecidedTooLate(): boolean {
    const now = clock.monotonic();
    for (const held of keeping.rows) {
      if (held.provedUntil <= now && !isUndecided(held) && held.phase !== 'lost') return true;
    }
    return false;
  }

  function claim(limit: number): void {
    claiming = true;
    woken = false;
    form.claim(limit, lease).then(
      (rows) => {
        claiming = false;
        take(rows);
        if (state !== 'working') stopIfDone();
        else if (rows.length === limit || woken) pump();
        else wait(poll * (0.9 + Math.random() / 5));
      },
      (error: unknown) => {
        claiming = false;
        reporter.report({ kind: 'claim-failed', queue, error: claimFailed(queue, error) });
        if (state !== 'working') stopIfDone();
        else waitUntil(clock.monotonic() + failedClaimWait, false);
      },
    );
  }

  function take(rows: readonly Held[]): void {
    const [first] = rows;
    if (first === undefined) return;
    tally.claimed += rows.length;
    keeping.add(rows);
    if (state !== 'working' || first.provedUntil <= clock.monotonic()) {
      // The claim came back too late, for the worker or for its own lease.
      for (const held of rows) handler.giveBack(held);
      return;
    }
    for (const held of rows) {
      running += 1;
      handler.handle(held);
    }
  }

  /** Waits, but not past the moment at which a row is known to come due. */
  function wait(milliseconds: number): void {
    const now = clock.monotonic();
    waitUntil(Math.min(now + milliseconds, known.next(now)), true);
  }

  function waitUntil(until: number, wakeable: boolean): void {
    idle?.timer.cancel();
    const timer = clock.after(until - clock.monotonic(), () => {
      idle = undefined;
      pump();
    });
    idle = { timer, until, wakeable };
  }

  function stop(timeout: number): Promise<WorkerTally> {
    if (state === 'starting' || state === 'working') {
      state = 'draining';
      unsubscribe();
      idle?.timer.cancel();
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
    for (const held of keeping.rows) {
      if (isUndecided(held)) abortRow(held, reason);
    }
    // Handlers that obey their signal at once decide for themselves.
    setImmediate(() => {
      for (const held of keeping.rows) {
        handler.giveBack(held);
      }
      stopIfDone();
    });
    deadline = { timer: clock.after(lastWait, finish), at: 0 };
  }

  function stopIfDone(): void {
    if (state === 'stopped' || state === 'working' || state === 'starting') return;
    const drained = state === 'aborting' || (running === 0 && !checking);
    if (drained && keeping.rows.size === 0 && !claiming) finish();
  }

  function finish(): void {
    if (state === 'stopped') return;
    state = 'stopped';
    tally.unsettled = keeping.rows.size;
    unsubscribe();
    idle?.timer.cancel();
    deadline?.timer.cancel();
    keeping.end();
    form.settling.end();
    if (reporter.listened()) reporter.report({ kind: 'stopped', queue });
    tellStopped({ ...tally });
  }

  const ready = store.check().then(
    () => {
      checking = false;
      if (state === 'stopped') throw stoppedBeforeReady(queue);
      if (state === 'starting') {
        state = 'working';
        pump();
      } else stopIfDone();
    },
    (cause: unknown) => {
      checking = false;
      const error = startFailed(queue, cause);
      if (state !== 'stopped') reporter.report({ kind: 'start-failed', queue, error });
      finish();
      throw error;
    },
  );
  ready.catch(() => undefined);

  return {
    ready,
    stopped,
    stop: ({ timeout = defaultStopTimeout } = {}) =>
      stop(requireMilliseconds('timeout', timeout, 0)),
    stats: () => ({ ...tally, running, settling: Math.max(0, keeping.rows.size - running) }),
  };
}

function claimFailed(queue: string, cause: unknown): InboxError {
  if (cause instanceof InboxError && cause.queue !== undefined) return cause;
  const code = cause instanceof InboxError ? cause.code : 'claim-failed';
  return new InboxError(
    code,
    `Queue ${queue}: a claim failed: ${messageOf(cause)}. The worker claims again in a second.`,
    {
      queue,
      cause,
    },
  );
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
