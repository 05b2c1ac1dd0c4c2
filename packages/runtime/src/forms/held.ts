import type { Clock, Timer } from '../clock/clock.js';
import { show } from '../errors/describe.js';
import { LeaseLostError, type InboxError } from '../errors/inbox-error.js';
import type { Fence, LeaseStore, Settled } from '../drivers/database.js';
import { heldPlace, type FenceShape } from '../drivers/places.js';
import type { Cell } from '../statement.js';
import { heldText, type Reporter, type RowEvent, type SettledAs } from './events.js';
import type { Wakes } from './wakes.js';

/** What the parts of the lease form share about one table. */
export interface LeaseContext {
  readonly queue: string;
  readonly shape: FenceShape;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly wakes: Wakes;
  /** The key of a fence, for errors and events; never throws. */
  readonly keyOf: (fence: Fence) => unknown;
  /** The attempt of a fence, for events; never throws. */
  readonly attemptOf: (fence: Fence) => number | null;
}

/**
 * Where a claimed row stands. At most one statement is in flight for it: `extending` and `settling`
 * exclude each other, `settled` and `lost` are the end. A row that is `decided` waits for the batch
 * in front of its own, and its lease is kept meanwhile.
 */
export type Phase = 'held' | 'decided' | 'extending' | 'settling' | 'settled' | 'lost';

/** Hears how a settlement ended: without an error once it is committed. */
export type SettleListener = (held: Held, error: InboxError | undefined) => void;

/** A claimed row, from its claim to its settlement. Changed only by the parts of the lease form. */
export interface Held {
  /** What proves ownership now: at first all of the claimed row's cells, the fence's in front. */
  fence: Fence;
  /** The expiry that the row has if an extension without answer took effect after all. */
  otherHeld: Cell | undefined;
  /** The lease it was claimed for, in milliseconds. */
  readonly lease: number;
  /** The monotonic time until which ownership is certain: last accepted sending plus lease. */
  provedUntil: number;
  phase: Phase;
  /** Why `signal` is aborted, once it is. */
  abortReason: InboxError | undefined;
  controller: AbortController | undefined;
  /** A timer that aborts `signal` when ownership can no longer be proved, where no keeper does. */
  watch: Timer | undefined;

  /** What was decided; meaningful once a settlement was asked for. */
  as: SettledAs;
  after: number | null;
  listener: SettleListener | undefined;
  /** A settlement was asked for while an extension was in flight, and goes out behind it. */
  waiting: boolean;
  /** A try of the settlement got no answer: it may have taken effect. */
  ambiguous: boolean;
  tries: number;
}

/** A row that was just claimed. */
export function heldRow(cells: readonly Cell[], lease: number, provedUntil: number): Held {
  return {
    fence: cells,
    otherHeld: undefined,
    lease,
    provedUntil,
    phase: 'held',
    abortReason: undefined,
    controller: undefined,
    watch: undefined,
    as: 'ack',
    after: null,
    listener: undefined,
    waiting: false,
    ambiguous: false,
    tries: 0,
  };
}

/** Whether nothing has been decided about the row, and it is not known to be lost. */
export function isUndecided({ phase, waiting }: Held): boolean {
  return phase === 'held' || (phase === 'extending' && !waiting);
}

/** The row's signal, made when it is first asked for. */
export function signalOf(held: Held): AbortSignal {
  if (held.controller === undefined) {
    held.controller = new AbortController();
    if (held.abortReason !== undefined) held.controller.abort(held.abortReason);
  }
  return held.controller.signal;
}

/** Aborts the row's signal, once. */
export function abortRow(held: Held, reason: InboxError): void {
  if (held.abortReason !== undefined) return;
  held.abortReason = reason;
  held.controller?.abort(reason);
}

/** Takes in an accepted extension: the new fence, and the time that it proves. */
export function extended(
  context: LeaseContext,
  held: Held,
  settled: Extract<Settled, { state: 'done' }>,
  lease: number,
): void {
  const previous = held.fence;
  if (settled.held !== undefined) useHeld(context, held, settled.held);
  held.otherHeld = undefined;
  held.provedUntil = settled.sentAt + lease;
  if (context.reporter.listened()) {
    const before = heldText(previous[heldPlace(context.shape)]);
    context.reporter.report({ kind: 'extended', ...rowEvent(context, held), previous: before });
  }
}

/** Puts another expiry into the row's fence. */
export function useHeld(context: LeaseContext, held: Held, expiry: Cell): void {
  const { keyWidth, counted } = context.shape;
  const fence = held.fence.slice(0, keyWidth + (counted ? 2 : 1));
  fence[heldPlace(context.shape)] = expiry;
  held.fence = fence;
}

/**
 * The database says that the row no longer carries the fence. Where an extension got no answer, the
 * row may carry the other expiry: then that one is put into the fence, and the answer is false.
 */
export function isLost(context: LeaseContext, held: Held): boolean {
  if (held.otherHeld === undefined) return true;
  useHeld(context, held, held.otherHeld);
  held.otherHeld = undefined;
  return false;
}

/** Ends a row that is no longer this delivery's. */
export function loseRow(context: LeaseContext, held: Held, message: string): LeaseLostError {
  const error = leaseLost(context, held, message);
  held.phase = 'lost';
  held.watch?.cancel();
  abortRow(held, error);
  context.reporter.report({ kind: 'lost', ...rowEvent(context, held), why: 'taken', error });
  return error;
}

/** Aborts a row whose ownership can no longer be proved; it may still be settled under its fence. */
export function unproveRow(context: LeaseContext, held: Held): void {
  if (held.abortReason !== undefined) return;
  const error = leaseLost(
    context,
    held,
    `the lease of ${held.lease} ms has passed since the last accepted claim or extension, so another worker may have the row. Stop the work; what it did may be done again.`,
  );
  abortRow(held, error);
  context.wakes.wakeAt(held.provedUntil);
  context.reporter.report({ kind: 'lost', ...rowEvent(context, held), why: 'unproved', error });
}

/** A `LeaseLostError` that names the queue and the row. */
export function leaseLost(context: LeaseContext, held: Held, message: string): LeaseLostError {
  const { queue } = context;
  const id = context.keyOf(held.fence);
  return new LeaseLostError(`Queue ${queue}, row ${show(id)}: ${message}`, { queue, id });
}

/** The part of an event that says which row. */
export function rowEvent(context: LeaseContext, held: Held): RowEvent {
  return {
    queue: context.queue,
    id: context.keyOf(held.fence),
    attempt: context.attemptOf(held.fence),
    held: heldText(held.fence[heldPlace(context.shape)]),
  };
}
