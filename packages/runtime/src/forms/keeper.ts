import type { Timer } from '../clock/clock.js';
import type { ExtendLane, Extension } from './extend-lane.js';
import { isUndecided } from './held.js';
import { unproveRow, type LeaseContext, type LeaseRow } from './lease-row.js';

/** Keeps the leases of the rows in work. */
export interface Keeper {
  /** The rows that are held: in work, or decided and not yet settled. */
  readonly rows: ReadonlySet<LeaseRow>;
  /**
   * Extends rows in work whose lease is over, so that a claim of this worker cannot take them from
   * handlers that still run. `undefined` where there are none. Rejects where a row could not be
   * extended; one that somebody else has locked is left to them.
   */
  prove(): Promise<void> | undefined;
  /** Takes in the rows of one claim. */
  add(rows: readonly LeaseRow[]): void;
  /** Forgets a row that is settled or lost. */
  remove(held: LeaseRow): void;
  /** Ends the keeping. */
  end(): void;
}

/**
 * Extends all held rows every half lease, in one round. A round that failed, or has not been
 * answered, aborts nobody: it is repeated soon, until the lease of a row can no longer be proved;
 * then that row's signal aborts. A row that somebody else has locked is extended alone. One timer,
 * however many rows.
 */
export function keeper(context: LeaseContext, lane: ExtendLane, lease: number): Keeper {
  const { clock } = context;
  const rows = new Set<LeaseRow>();
  const busy = new Set<LeaseRow>();
  const answers = new Map<LeaseRow, (extension: Extension, error: unknown) => void>();
  const period = lease / 2;
  const soon = Math.min(1_000, lease / 8);
  let roundAt = clock.monotonic() + period;
  let again = false;
  let againAt = Infinity;
  let ended = false;
  let timer: Timer | undefined;
  let timerAt = Infinity;

  function arm(at: number): void {
    if (ended || at >= timerAt) return;
    timer?.cancel();
    timerAt = at;
    timer = clock.after(at - clock.monotonic(), tick);
  }

  function tick(): void {
    timerAt = Infinity;
    const now = clock.monotonic();
    let next = Infinity;
    for (const held of rows) {
      // A decided row has no work left to abort; its settlement will say whose it is.
      if (held.abortReason !== undefined || !isUndecided(held)) continue;
      if (held.provedUntil <= now) unproveRow(context, held);
      else next = Math.min(next, held.provedUntil);
    }
    if (now >= roundAt || (again && now >= againAt)) round(now);
    arm(Math.min(next, roundAt, againAt));
  }

  function round(now: number): void {
    const full = now >= roundAt;
    if (full) roundAt = now + period;
    again = false;
    againAt = Infinity;
    for (const held of rows) {
      // A settling row has its statement in flight, or is tried alone, which keeps its lease.
      if (held.phase !== 'held' && held.phase !== 'decided') continue;
      if (held.abortReason !== undefined) continue;
      if (busy.has(held)) lane.extendBusy(held, lease, heard);
      else if (full || held.provedUntil - now < period) lane.extend(held, lease, heard);
    }
  }

  function heard(held: LeaseRow, extension: Extension, error: unknown): void {
    if (extension === 'busy') busy.add(held);
    else busy.delete(held);
    if (!rows.has(held)) busy.delete(held);
    else if (extension === 'busy' || extension === 'again') {
      again = true;
      againAt = Math.min(againAt, clock.monotonic() + soon);
      arm(Math.min(againAt, held.provedUntil));
    }
    const answer = answers.get(held);
    answers.delete(held);
    answer?.(extension, error);
  }

  function prove(): Promise<void> | undefined {
    const proving: Promise<void>[] = [];
    for (const held of rows) {
      if (isUnproved(held)) proving.push(proveRow(held));
    }
    return proving.length === 0 ? undefined : Promise.all(proving).then(() => undefined);
  }

  function isUnproved(held: LeaseRow): boolean {
    return held.provedUntil <= clock.monotonic() && isUndecided(held);
  }

  async function proveRow(held: LeaseRow): Promise<void> {
    // One extension at a time; one that is on its way was sent before, and may be over as well.
    if (held.phase === 'extending') await answerFor(held);
    if (!isUnproved(held) || held.phase === 'extending') return;
    const answer = answerFor(held);
    if (busy.has(held)) lane.extendBusy(held, lease, heard);
    else lane.extend(held, lease, heard);
    const [extension, error] = await answer;
    if (extension === 'again') throw error;
  }

  function answerFor(held: LeaseRow): Promise<readonly [Extension, unknown]> {
    return new Promise((resolve) => {
      answers.set(held, (...answer) => {
        resolve(answer);
      });
    });
  }

  arm(roundAt);
  return {
    rows,
    prove,
    add(claimed) {
      for (const held of claimed) rows.add(held);
      const [first] = claimed;
      if (first !== undefined) arm(first.provedUntil);
    },
    remove(held) {
      rows.delete(held);
      busy.delete(held);
    },
    end() {
      ended = true;
      timer?.cancel();
    },
  };
}
