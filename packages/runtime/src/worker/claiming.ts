import type { Timer } from '../clock/clock.js';
import { atTurnEnd } from '../clock/turn.js';
import { messageOf } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import type { Form } from '../forms/form.js';
import type { Held } from '../forms/held.js';
import { knownTimes } from './known-times.js';

/** The claiming of one worker: when claims go out, how many, and how long it waits between. */
export interface Claiming {
  /** Claims at the end of this turn of the event loop, for every place that is free then. */
  pump(): void;
  /** How many claims are in flight. */
  readonly inFlight: number;
  /** Ends it. What is still in flight is answered. */
  end(): void;
}

/** What a worker says to its claiming, and hears from it. */
export interface ClaimingParts<Row extends Held> {
  /** How many rows can be taken into work now, without those that claims in flight may bring. */
  readonly room: () => number;
  /** The most claims that may be in flight at a time, where each brings one row. */
  readonly concurrency: number;
  /** In milliseconds. */
  readonly poll: number;
  /** Rows were claimed. */
  readonly claimed: (rows: readonly Row[]) => void;
  /** A claim was answered, and its rows taken over. */
  readonly answered: () => void;
}

/** After a claim that failed, in milliseconds. */
const failedClaimWait = 1_000;
/**
 * A row that must be due, and was not found, is looked for again after so many milliseconds: clocks
 * of host and server never run quite alike, and a column may hold whole seconds only.
 */
const soonAgain = [5, 20, 80, 320, 1_280];

/**
 * One claim is in flight where it can bring all rows that there is room for. Where each row takes a
 * claim of its own, their number grows with success: one after an answer that was empty, and twice as
 * many after each row that was found, so that an idle table costs one claim a poll and a full one is
 * emptied at once.
 */
export function claiming<Row extends Held>(
  form: Form<Row>,
  { room, concurrency, poll, claimed, answered }: ClaimingParts<Row>,
): Claiming {
  const { queue, clock, reporter, wakes } = form.context;
  const mostInFlight = form.rowsPerClaim === 1 ? concurrency : 1;
  const known = knownTimes();
  let window = 1;
  let inFlight = 0;
  let asked = 0;
  let pumping = false;
  let ended = false;
  /** Rows have become due since the last claim went out. */
  let woken = false;
  let lastWasEmpty = false;
  /** How many rows must be due by now that no claim has found. */
  let expected = 0;
  let triedAgain = 0;
  let idle:
    { readonly timer: Timer; readonly until: number; readonly wakeable: boolean } | undefined;
  let stopWaiting: (() => void) | undefined;

  const unsubscribe = wakes.subscribe((at) => {
    if (at > 0) known.add(at);
    else woken = true;
    if (idle?.wakeable !== true || at >= idle.until) return;
    if (at > 0) {
      waitUntil(at, true);
    } else {
      idle.timer.cancel();
      idle = undefined;
      pump();
    }
  });

  function pump(): void {
    if (pumping || idle !== undefined || inFlight >= window) return;
    pumping = true;
    atTurnEnd(claimAll);
  }

  function claimAll(): void {
    pumping = false;
    while (!ended && idle === undefined && inFlight < window) {
      const free = room() - asked;
      if (free <= 0 || !claim(Math.min(free, form.rowsPerClaim))) return;
    }
  }

  /** Whether a claim has gone out. */
  function claim(limit: number): boolean {
    const sentAt = clock.monotonic();
    const answer = form.claim(limit, lastWasEmpty && !woken && expected === 0);
    if (answer === undefined) {
      stopWaiting ??= form.whenFree(() => {
        stopWaiting = undefined;
        pump();
      });
      return false;
    }
    inFlight += 1;
    asked += limit;
    woken = false;
    answer.then(
      (rows) => {
        land(limit);
        lastWasEmpty = rows.length === 0;
        if (rows.length > 0) claimed(rows);
        if (!ended) goOn(rows.length, limit, sentAt);
        answered();
      },
      (error: unknown) => {
        land(limit);
        window = 1;
        reporter.report({ kind: 'claim-failed', queue, error: claimFailed(queue, error) });
        if (!ended) waitUntil(clock.monotonic() + failedClaimWait, false);
        answered();
      },
    );
    return true;
  }

  function land(limit: number): void {
    inFlight -= 1;
    asked -= limit;
  }

  function goOn(found: number, limit: number, sentAt: number): void {
    const passed = known.pass(sentAt);
    if (passed > 0) triedAgain = 0;
    expected = Math.max(0, expected + passed - found);
    if (found === limit) {
      window = Math.min(2 * window, mostInFlight);
      pump();
      return;
    }
    window = 1;
    if (woken) pump();
    // A claim that was sent later may still find what this one has not.
    else if (inFlight === 0 && idle === undefined) wait();
  }

  /** Waits a poll, but not past the moment at which a row is known to come due. */
  function wait(): void {
    let pause = poll * (0.9 + Math.random() / 5);
    if (expected > 0) {
      const soon = soonAgain[triedAgain];
      if (soon === undefined) expected = 0;
      else pause = Math.min(pause, soon);
      triedAgain += 1;
    }
    waitUntil(Math.min(clock.monotonic() + pause, known.next()), true);
  }

  function waitUntil(until: number, wakeable: boolean): void {
    idle?.timer.cancel();
    const timer = clock.after(until - clock.monotonic(), () => {
      idle = undefined;
      pump();
    });
    idle = { timer, until, wakeable };
  }

  function end(): void {
    ended = true;
    unsubscribe();
    stopWaiting?.();
    idle?.timer.cancel();
  }

  return {
    pump,
    get inFlight() {
      return inFlight;
    },
    end,
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
