import { atTurnEnd } from '../clock/turn.js';
import type { Settled } from '../drivers/database.js';
import { rowEvent } from './held.js';
import { extended, isLost, loseRow, type LeaseContext, type LeaseRow } from './lease-row.js';
import type { SettleLane } from './settle-lane.js';

/**
 * How one try of an extension ended: accepted, the row lost, somebody else has the row locked
 * (`busy`), or it must be tried again for another reason.
 */
export type Extension = 'done' | 'lost' | 'busy' | 'again';

/** Hears how one try of an extension ended. */
export type ExtendListener = (held: LeaseRow, extension: Extension, error: unknown) => void;

/** Extends rows, in rounds that form by themselves. */
export interface ExtendLane {
  /**
   * Tries once to extend a row that has no statement in flight, together with the others of this
   * turn. A settlement that is asked for meanwhile goes out behind it, with the new fence.
   */
  extend(held: LeaseRow, lease: number, listener: ExtendListener): void;
  /** The same, together with others that were busy before, and must not hold up those that are not. */
  extendBusy(held: LeaseRow, lease: number, listener: ExtendListener): void;
}

interface Asked {
  readonly held: LeaseRow;
  readonly lease: number;
  readonly listener: ExtendListener;
}

/** The extending of one queue's rows, independent of its settling: a stuck settlement delays none. */
export function extendLane(context: LeaseContext, settling: SettleLane): ExtendLane {
  const { store, reporter } = context;
  const extend = round();
  const extendBusy = round();

  /** Gathers what is asked for during one turn of the event loop into one statement. */
  function round(): ExtendLane['extend'] {
    let pending: Asked[] = [];
    return (held, lease, listener) => {
      begin(held);
      pending.push({ held, lease, listener });
      if (pending.length === 1) {
        atTurnEnd(() => {
          const asked = pending;
          pending = [];
          send(asked);
        });
      }
    };
  }

  function begin(held: LeaseRow): void {
    // A decided row goes out behind its extension, with the new fence.
    held.phase = held.phase === 'decided' ? 'deferred' : 'extending';
  }

  function send(all: readonly Asked[]): void {
    const then = (settled: readonly Settled[]): void => {
      all.forEach((asked, index) => {
        take(asked, settled[index]);
      });
    };
    const settlements = all.map(
      ({ held, lease }) => ({ verb: 'extend', fence: held.fence, lease }) as const,
    );
    store.settle(settlements).then(then, (error: unknown) => {
      then(all.map(() => ({ state: 'failed', error, ambiguous: false, transient: true })));
    });
  }

  function take({ held, lease, listener }: Asked, settled: Settled | undefined): void {
    const deferred = held.phase === 'deferred';
    held.phase = 'held';
    let extension: Extension = 'again';
    let error: unknown;
    switch (settled?.state) {
      case 'done':
        extended(context, held, settled, lease);
        extension = 'done';
        break;
      case 'busy':
        extension = 'busy';
        if (reporter.listened()) {
          reporter.report({ kind: 'busy', ...rowEvent(context, held), verb: 'extend' });
        }
        break;
      case 'failed':
        ({ error } = settled);
        // If there was an answer before the connection ended, it matched the fence that was sent.
        held.otherHeld = settled.held ?? held.otherHeld;
        reporter.report({ kind: 'extend-failed', ...rowEvent(context, held), error });
        break;
      case 'lost':
      case undefined:
        if (isLost(context, held)) {
          extension = 'lost';
          error = loseRow(
            context,
            held,
            "the row is gone or no longer this delivery's: its lease ended and it was claimed again, or it was changed elsewhere. Stop the work; whoever has the row now decides about it.",
          );
        }
    }
    if (deferred) settling.resume(held);
    listener(held, extension, error);
  }

  return { extend, extendBusy };
}
