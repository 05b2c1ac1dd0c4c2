import diagnostics from 'node:diagnostics_channel';

import { messageOf } from '../errors/describe.js';
import type { InboxError, LeaseLostError } from '../errors/inbox-error.js';
import type { Cell } from '../statement.js';

/** What was decided about a delivery. `drop` finishes the row as `ack` does. */
export type SettledAs = 'ack' | 'retry' | 'drop' | 'release';

/** What every event about one row carries. */
export interface RowEvent {
  /** The queue's name. */
  readonly queue: string;
  /** The row's key. */
  readonly id: unknown;
  /** Which delivery of the row this is, from 1; null where the table does not count. */
  readonly attempt: number | null;
  /** The expiry by which this delivery owns the row, as the database wrote it. */
  readonly held: string;
}

/** What happened to a queue, as the `on` option and the diagnostics channel `inbox-runtime` say it. */
export type InboxEvent =
  /** A row was claimed; it is held until `held`. */
  | (RowEvent & { readonly kind: 'claimed'; readonly lease: number })
  /** A row's lease was extended from `previous` to `held`. */
  | (RowEvent & { readonly kind: 'extended'; readonly previous: string })
  /** A settlement was committed. `after` is a retry's delay in milliseconds, null for none. */
  | (RowEvent & { readonly kind: 'settled'; readonly as: SettledAs; readonly after: number | null })
  /** A handler or caller dropped the row; `settled` follows. */
  | (RowEvent & { readonly kind: 'dropped'; readonly reason: string | undefined })
  /** The row is no longer this delivery's (`taken`), or that can no longer be proved (`unproved`). */
  | (RowEvent & {
      readonly kind: 'lost';
      readonly why: 'taken' | 'unproved';
      readonly error: LeaseLostError;
    })
  /** Somebody else has the row locked; it is tried again, alone. */
  | (RowEvent & { readonly kind: 'busy'; readonly verb: 'ack' | 'retry' | 'release' | 'extend' })
  /** A settlement failed for good; the row comes back when its lease ends. */
  | (RowEvent & { readonly kind: 'settle-failed'; readonly as: SettledAs; readonly error: unknown })
  /** An extension failed; it is tried again as long as the lease can be proved. */
  | (RowEvent & { readonly kind: 'extend-failed'; readonly error: unknown })
  /** A handler threw; the row is retried after `after` milliseconds. */
  | (RowEvent & {
      readonly kind: 'handler-failed';
      readonly error: unknown;
      readonly after: number;
    })
  /** A row's cells do not fit its type; it is retried after `after` milliseconds, unhandled. */
  | (RowEvent & { readonly kind: 'decode-failed'; readonly error: unknown; readonly after: number })
  /** A claim failed; the worker waits a second and claims again. */
  | { readonly kind: 'claim-failed'; readonly queue: string; readonly error: unknown }
  /** A worker's check failed; it has stopped. */
  | { readonly kind: 'start-failed'; readonly queue: string; readonly error: InboxError }
  /** A worker has stopped. */
  | { readonly kind: 'stopped'; readonly queue: string };

/** Receives events. What it throws is reported as a process warning and changes nothing else. */
export type EventListener = (event: InboxEvent) => void;

/** Where a queue's events go. */
export interface Reporter {
  /** Whether anybody listens; an event that is no failure is made only then. */
  listened(): boolean;
  /** A worker's failure that nobody listens to becomes a process warning, once a kind. */
  report(event: InboxEvent): void;
}

/** What goes wrong behind the back of a program that awaits no promise of ours. */
const warns: ReadonlySet<InboxEvent['kind']> = new Set([
  'start-failed',
  'claim-failed',
  'handler-failed',
  'decode-failed',
  'settle-failed',
]);

const channel = diagnostics.channel('inbox-runtime');

/** Reports to the diagnostics channel `inbox-runtime` and to the given listeners. */
export function reporterOf(...on: readonly (EventListener | undefined)[]): Reporter {
  const listeners = on.filter((listener) => listener !== undefined);
  const warned = new Set<string>();
  const listened = (): boolean => listeners.length > 0 || channel.hasSubscribers;
  return {
    listened,
    report(event) {
      if (channel.hasSubscribers) channel.publish(event);
      for (const listener of listeners) tell(listener, event);
      if (!listened() && 'error' in event && warns.has(event.kind) && !warned.has(event.kind)) {
        warned.add(event.kind);
        warn(
          `${event.kind} in queue ${event.queue}: ${messageOf(event.error)}. Give the queue or worker an "on" option to hear of the next ones.`,
        );
      }
    },
  };
}

function tell(listener: EventListener, event: InboxEvent): void {
  const failed = (error: unknown): void => {
    warn(`An "on" listener of queue ${event.queue} failed at "${event.kind}": ${messageOf(error)}`);
  };
  try {
    // An async function is a listener too, and its rejection must not end the process.
    const call: (event: InboxEvent) => unknown = listener;
    const answer = call(event);
    if (answer instanceof Promise) answer.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function warn(message: string): void {
  process.emitWarning(message, 'InboxWarning');
}

/** An expiry as events show it. */
export function heldText(cell: Cell | undefined): string {
  return String(cell ?? null);
}
