import type { Timer } from '../clock/clock.js';
import type { LeaseStore, Settled } from '../drivers/database.js';
import { heldPlace, type FenceShape } from '../drivers/places.js';
import { show } from '../errors/describe.js';
import { LeaseLostError } from '../errors/inbox-error.js';
import type { Cell } from '../statement.js';
import { abortRow, rowEvent, type FormContext, type Held, type SettleListener } from './held.js';

/** What the parts of the lease form share about one table. */
export interface LeaseContext extends FormContext<LeaseRow> {
  readonly shape: FenceShape;
  readonly store: LeaseStore;
}

/** A row that was claimed for a lease. */
export interface LeaseRow extends Held {
  /** The expiry that the row has if an extension without answer took effect after all. */
  otherHeld: Cell | undefined;
  /** The lease it was claimed for, in milliseconds. */
  readonly lease: number;
  /** The monotonic time until which ownership is certain: last accepted sending plus lease. */
  provedUntil: number;
  /** A timer that aborts `signal` when ownership can no longer be proved, where no keeper does. */
  watch: Timer | undefined;

  /** A retry's delay in milliseconds. */
  after: number | null;
  listener: SettleListener<LeaseRow> | undefined;
  /** A try of the settlement got no answer: it may have taken effect. */
  ambiguous: boolean;
  tries: number;
}

/** A row that was just claimed. */
export function leaseRow(cells: readonly Cell[], lease: number, provedUntil: number): LeaseRow {
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
    ambiguous: false,
    tries: 0,
  };
}

/** An expiry as events show it. */
export function expiryText({ shape }: Pick<LeaseContext, 'shape'>, { fence }: Held): string {
  return String(fence[heldPlace(shape)] ?? null);
}

/** Takes in an accepted extension: the new fence, and the time that it proves. */
export function extended(
  context: LeaseContext,
  row: LeaseRow,
  settled: Extract<Settled, { state: 'done' }>,
  lease: number,
): void {
  const { reporter } = context;
  const previous = reporter.listened() ? expiryText(context, row) : '';
  if (settled.held !== undefined) useHeld(context, row, settled.held);
  row.otherHeld = undefined;
  row.provedUntil = settled.sentAt + lease;
  if (reporter.listened()) {
    reporter.report({ kind: 'extended', ...rowEvent(context, row), previous });
  }
}

/** Puts another expiry into the row's fence. */
function useHeld(context: LeaseContext, row: LeaseRow, expiry: Cell): void {
  const { keyWidth, counted } = context.shape;
  const fence = row.fence.slice(0, keyWidth + (counted ? 2 : 1));
  fence[heldPlace(context.shape)] = expiry;
  row.fence = fence;
}

/**
 * The database says that the row no longer carries the fence. Where an extension got no answer, the
 * row may carry the other expiry: then that one is put into the fence, and the answer is false.
 */
export function isLost(context: LeaseContext, row: LeaseRow): boolean {
  if (row.otherHeld === undefined) return true;
  useHeld(context, row, row.otherHeld);
  row.otherHeld = undefined;
  return false;
}

/** Ends a row that is no longer this delivery's. */
export function loseRow(context: LeaseContext, row: LeaseRow, message: string): LeaseLostError {
  const error = leaseLost(context, row, message);
  row.phase = 'lost';
  row.watch?.cancel();
  abortRow(row, error);
  context.reporter.report({ kind: 'lost', ...rowEvent(context, row), why: 'taken', error });
  return error;
}

/** Aborts a row whose ownership can no longer be proved; it may still be settled under its fence. */
export function unproveRow(context: LeaseContext, row: LeaseRow): void {
  if (row.abortReason !== undefined) return;
  const error = leaseLost(
    context,
    row,
    `the lease of ${row.lease} ms has passed since the last accepted claim or extension, so another worker may have the row. Stop the work; what it did may be done again.`,
  );
  abortRow(row, error);
  context.wakes.wakeAt(row.provedUntil);
  context.reporter.report({ kind: 'lost', ...rowEvent(context, row), why: 'unproved', error });
}

/** A `LeaseLostError` that names the queue and the row. */
export function leaseLost(context: LeaseContext, row: LeaseRow, message: string): LeaseLostError {
  const { queue } = context;
  const id = context.keyOf(row.fence);
  return new LeaseLostError(`Queue ${queue}, row ${show(id)}: ${message}`, { queue, id });
}
