import diagnostics from 'node:diagnostics_channel';

import type { ServerLimit } from '../drivers/table-store.js';
import { messageOf } from '../errors/describe.js';
import type { InboxError } from '../errors/inbox-error.js';

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
  /**
   * By what this delivery owns the row. Lease: the expiry, as the database wrote it. Row lock and
   * advisory: the session that holds the row, and a number that no other delivery of this process
   * has.
   */
  readonly held: string;
}

/** What happened to a queue, as the `on` option and the diagnostics channel `inbox-runtime` say it. */
export type InboxEvent =
  /** A row was claimed: for a `lease` in milliseconds, or (null) for as long as its session lives. */
  | (RowEvent & { readonly kind: 'claimed'; readonly lease: number | null })
  /** A row's lease was extended from `previous` to `held`. */
  | (RowEvent & { readonly kind: 'extended'; readonly previous: string })
  /** A settlement was committed. `after` is a retry's delay in milliseconds, null for none. */
  | (RowEvent & { readonly kind: 'settled'; readonly as: SettledAs; readonly after: number | null })
  /** A handler or caller dropped the row; `settled` follows. */
  | (RowEvent & { readonly kind: 'dropped'; readonly reason: string | undefined })
  /**
   * The row is no longer this delivery's (`taken`, or there was no row to write; `ended`: the session
   * that held it is over), or that can no longer be proved (`unproved`).
   */
  | (RowEvent & {
      readonly kind: 'lost';
      readonly why: 'taken' | 'unproved' | 'ended';
      readonly error: InboxError;
    })
  /** Somebody else has the row locked; it is tried again, alone. */
  | (RowEvent & { readonly kind: 'busy'; readonly verb: 'ack' | 'retry' | 'release' | 'extend' })
  /** A settlement failed for good; the row comes back when its lease ends, or has come back. */
  | (RowEvent & { readonly kind: 'settle-failed'; readonly as: SettledAs; readonly error: unknown })
  /**
   * The outcome of a row stands, and its table's own lock could not be given back: `unlock` threw, or
   * answered false. The connection was closed; a lock that lives elsewhere may still be held.
   */
  | (RowEvent & { readonly kind: 'unlock-failed'; readonly error: InboxError })
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
  /** A setting of the server ends the session of a handler that runs too long. Said at the start. */
  | (ServerLimit & { readonly kind: 'server-limit'; readonly queue: string })
  /**
   * The workers of an `InboxDatabase` together ask for more connections (`asked`) than rows in work
   * may have (`most`, of a pool of `poolSize`): fewer rows are in work at a time. Said once a worker.
   */
  | {
      readonly kind: 'concurrency-limited';
      readonly queue: string;
      readonly concurrency: number;
      readonly asked: number;
      readonly most: number;
      readonly poolSize: number;
      readonly message: string;
    }
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
  /** What a worker must say and nobody listens to becomes a process warning, once a kind. */
  report(event: InboxEvent): void;
}

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
      if (listened()) return;
      const what = unheard(event);
      // Each setting of a server is worth a warning of its own.
      const once = event.kind === 'server-limit' ? event.setting : event.kind;
      if (what === undefined || warned.has(once)) return;
      warned.add(once);
      warn(
        `${event.kind} in queue ${event.queue}: ${what}. Give the queue or worker an "on" option to hear of the next ones.`,
      );
    },
  };
}

/** What must be said of an event to a program that awaits no promise of ours and hears no event. */
function unheard(event: InboxEvent): string | undefined {
  switch (event.kind) {
    case 'start-failed':
    case 'claim-failed':
    case 'handler-failed':
    case 'decode-failed':
    case 'settle-failed':
    case 'unlock-failed':
      return messageOf(event.error);
    case 'concurrency-limited':
      return event.message.replace(/\.$/, '');
    case 'server-limit':
      return `${event.setting} is ${event.milliseconds} ms. ${event.consequence.replace(/\.$/, '')}`;
    default:
      return undefined;
  }
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
