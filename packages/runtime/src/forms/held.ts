import type { Clock } from '../clock/clock.js';
import type { Fence } from '../drivers/database.js';
import type { InboxError } from '../errors/inbox-error.js';
import type { Reporter, RowEvent, SettledAs } from './events.js';
import type { Wakes } from './wakes.js';

/**
 * Where a claimed row stands. At most one statement is in flight for it: `extending` (a lease's) and
 * `settling` exclude each other, `settled` and `lost` are the end. A row that is `decided` waits for
 * the batch in front of its own, and its lease is kept meanwhile; one that was decided while its
 * extension was in flight is `deferred`, and goes out behind it.
 */
export type Phase = 'held' | 'extending' | 'deferred' | 'decided' | 'settling' | 'settled' | 'lost';

/** Hears how a settlement ended: without an error once it is committed. */
export type SettleListener<Row> = (row: Row, error: InboxError | undefined) => void;

/** A claimed row, from its claim to its settlement. Changed only by the parts of its form. */
export interface Held {
  /** What says which row it is, and proves whose: at first all of the claimed row's cells. */
  fence: Fence;
  phase: Phase;
  /** Why `signal` is aborted, once it is. */
  abortReason: InboxError | undefined;
  controller: AbortController | undefined;
  /** What was decided; meaningful once a settlement was asked for. */
  as: SettledAs;
}

/** What the parts of a form share about one table. */
export interface FormContext<Row extends Held> {
  readonly queue: string;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly wakes: Wakes;
  /** The key of a fence, for errors and events; never throws. */
  readonly keyOf: (fence: Fence) => unknown;
  /** The attempt of a fence, for events; never throws. */
  readonly attemptOf: (fence: Fence) => number | null;
  /** By what this delivery owns the row, as events say it. */
  readonly heldOf: (row: Row) => string;
}

/** Whether nothing has been decided about the row, and it is not known to be lost. */
export function isUndecided({ phase }: Held): boolean {
  return phase === 'held' || phase === 'extending';
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

/** The part of an event that says which row. */
export function rowEvent<Row extends Held>(context: FormContext<Row>, row: Row): RowEvent {
  return {
    queue: context.queue,
    id: context.keyOf(row.fence),
    attempt: context.attemptOf(row.fence),
    held: context.heldOf(row),
  };
}
