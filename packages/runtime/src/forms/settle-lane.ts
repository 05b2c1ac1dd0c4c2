import { atTurnEnd } from '../clock/turn.js';
import type { Settled, Settlement } from '../drivers/database.js';
import { messageOf, show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import type { SettledAs } from './events.js';
import { rowEvent, type SettleListener } from './held.js';
import {
  extended,
  isLost,
  leaseLost,
  loseRow,
  type LeaseContext,
  type LeaseRow,
} from './lease-row.js';

/** Settles rows, in batches that form by themselves. */
export interface SettleLane {
  /**
   * Settles a row that is not decided yet. The listener hears once how it ended: `lease-lost`,
   * `settle-busy` or `settle-failed`, or nothing wrong.
   */
  settle(
    held: LeaseRow,
    as: SettledAs,
    after: number | null,
    listener: SettleListener<LeaseRow>,
  ): void;
  /** Sends a settlement that waited for an extension. */
  resume(held: LeaseRow): void;
  /** Gives up what could not be settled yet: nobody is there any more to hear of it. */
  end(): void;
}

/** How long past the proved end of its lease a settlement is still tried, in milliseconds. */
const grace = 2_000;
/** How many rows are tried alone at a time, so that they never take a pool's connections. */
const aloneAtATime = 4;
/** A batch that got no answer is sent again together this often, then row by row. */
const triesTogether = 3;
const longestPause = 250;
/** How long a batch may stay unanswered before the next goes out beside it, in milliseconds. */
const patience = 1_000;
/** How many batches may be left behind at a time, so that they never take a pool's connections. */
const mostOverdue = 2;

/**
 * The settling of one queue's rows. What is decided during one turn of the event loop, or while the
 * last batch is in flight, goes out together. A row that somebody else has locked leaves the batch
 * and is tried alone, with growing pauses and its lease extended between them, so that it never
 * holds up another; a batch that got no answer is sent again. Both end with the lease: when it has
 * not been provable for two seconds, the settlement is given up and the row returns by itself.
 */
export function settleLane(context: LeaseContext): SettleLane {
  const { store, clock, reporter } = context;
  let pending = new Set<LeaseRow>();
  let flying = false;
  let overdue = 0;
  let scheduled = false;
  const alone: LeaseRow[] = [];
  let aloneFlying = 0;
  let ended = false;

  function settle(
    held: LeaseRow,
    as: SettledAs,
    after: number | null,
    listener: SettleListener<LeaseRow>,
  ): void {
    held.as = as;
    held.after = after;
    held.listener = listener;
    held.ambiguous = false;
    held.tries = 0;
    if (held.phase === 'extending') held.phase = 'deferred';
    else enqueue(held);
  }

  function resume(held: LeaseRow): void {
    if (held.phase === 'lost') tell(held, leaseLost(context, held, notOurs(held)));
    else enqueue(held);
  }

  function enqueue(held: LeaseRow): void {
    held.phase = 'decided';
    pending.add(held);
    schedule();
  }

  function schedule(): void {
    if (scheduled || flying || pending.size === 0) return;
    scheduled = true;
    atTurnEnd(flush);
  }

  function flush(): void {
    scheduled = false;
    // What is being extended comes back behind its extension.
    const batch = [...pending].filter(({ phase }) => phase === 'decided');
    pending = new Set();
    if (batch.length === 0) return;
    for (const held of batch) held.phase = 'settling';
    const land = takeOff();
    send(batch, (settled) => {
      land();
      batch.forEach((held, index) => {
        take(held, settled[index]);
      });
      schedule();
    });
  }

  /**
   * One batch is in flight at a time; the others gather. One that hangs (on the lock of a child that
   * its DELETE cascades to, say) is left behind after a second, so that it holds up nobody for long.
   */
  function takeOff(): () => void {
    flying = true;
    let left = false;
    const timer = clock.after(patience, () => {
      if (overdue === mostOverdue) return;
      left = true;
      overdue += 1;
      flying = false;
      schedule();
    });
    return () => {
      timer.cancel();
      if (left) overdue -= 1;
      else flying = false;
    };
  }

  function send(batch: readonly LeaseRow[], then: (settled: readonly Settled[]) => void): void {
    store.settle(batch.map(settlementOf)).then(then, (error: unknown) => {
      then(batch.map(() => ({ state: 'failed', error, ambiguous: true, transient: false })));
    });
  }

  function take(held: LeaseRow, settled: Settled | undefined): void {
    switch (settled?.state) {
      case 'done':
        done(held);
        return;
      case 'busy':
        if (reporter.listened()) {
          reporter.report({ kind: 'busy', ...rowEvent(context, held), verb: verbOf(held) });
        }
        tryLater(held, 'alone', undefined);
        return;
      case 'failed':
        held.ambiguous ||= settled.ambiguous;
        if (!settled.ambiguous && !settled.transient) giveUp(held, settled.error);
        else tryLater(held, held.tries < triesTogether ? 'together' : 'alone', settled);
        return;
      case 'lost':
      case undefined:
        lost(held);
    }
  }

  function done(held: LeaseRow): void {
    held.phase = 'settled';
    held.watch?.cancel();
    if (reporter.listened()) {
      const { as, after } = held;
      reporter.report({ kind: 'settled', ...rowEvent(context, held), as, after });
    }
    if (held.as === 'release' || (held.as === 'retry' && (held.after ?? 0) === 0)) {
      context.wakes.wake();
    } else if (held.as === 'retry') {
      context.wakes.wakeAt(clock.monotonic() + (held.after ?? 0));
    }
    tell(held, undefined);
  }

  function lost(held: LeaseRow): void {
    if (!isLost(context, held)) {
      enqueue(held);
    } else if (held.ambiguous && clock.monotonic() < held.provedUntil) {
      // Nobody else could have claimed the row by now: the try without answer took effect.
      done(held);
    } else {
      tell(held, loseRow(context, held, notOurs(held)));
    }
  }

  function tryLater(
    held: LeaseRow,
    how: 'together' | 'alone',
    failure: { readonly error: unknown } | undefined,
  ): void {
    if (ended || clock.monotonic() >= held.provedUntil + grace) {
      giveUp(held, failure?.error);
      return;
    }
    held.tries += 1;
    const pause = Math.min(2 * 2 ** held.tries, longestPause) * (0.75 + Math.random() / 2);
    clock.after(pause, () => {
      if (ended) {
        giveUp(held, failure?.error);
        return;
      }
      if (how === 'together') {
        enqueue(held);
        return;
      }
      alone.push(held);
      flushAlone();
    });
  }

  function flushAlone(): void {
    while (aloneFlying < aloneAtATime) {
      const held = alone.shift();
      if (held === undefined) return;
      aloneFlying += 1;
      extendFirst(held, () => {
        send([held], ([settled]) => {
          aloneFlying -= 1;
          take(held, settled);
          flushAlone();
        });
      });
    }
  }

  /** Extends a lease that is past its half before the row is tried again. */
  function extendFirst(held: LeaseRow, next: () => void): void {
    const { fence, lease } = held;
    if (clock.monotonic() < held.provedUntil - lease / 2) {
      next();
      return;
    }
    store.settle([{ verb: 'extend', fence, lease }]).then(([settled]) => {
      if (settled?.state === 'done') extended(context, held, settled, lease);
      if (settled?.state === 'failed') held.otherHeld = settled.held ?? held.otherHeld;
      // Lost or locked: the settlement itself will say so.
      next();
    }, next);
  }

  function giveUp(held: LeaseRow, error: unknown): void {
    const { queue } = context;
    const id = context.keyOf(held.fence);
    const row = `Queue ${queue}, row ${show(id)}`;
    const failure =
      error === undefined
        ? new InboxError(
            'settle-busy',
            `${row}: ${held.as} was given up, because somebody else keeps the row locked and its lease is over. The row comes back by itself; look for a long transaction that writes to it or refers to it.`,
            { queue, id },
          )
        : new InboxError(
            'settle-failed',
            `${row}: ${held.as} failed: ${messageOf(error)}. ${held.ambiguous ? 'It may have taken effect all the same; if not, the' : 'The'} row comes back when its lease ends.`,
            { queue, id, cause: error },
          );
    // Another verb may still be tried: a row that cannot be deleted can be retried.
    held.phase = 'held';
    context.wakes.wakeAt(held.provedUntil);
    reporter.report({
      kind: 'settle-failed',
      ...rowEvent(context, held),
      as: held.as,
      error: failure,
    });
    tell(held, failure);
  }

  function tell(held: LeaseRow, error: InboxError | undefined): void {
    const { listener } = held;
    held.listener = undefined;
    listener?.(held, error);
  }

  function end(): void {
    ended = true;
  }

  return { settle, resume, end };
}

function settlementOf(held: LeaseRow): Settlement {
  const { fence } = held;
  const verb = verbOf(held);
  return verb === 'retry' ? { verb, fence, after: held.after } : { verb, fence };
}

function verbOf(held: LeaseRow): 'ack' | 'retry' | 'release' {
  return held.as === 'drop' ? 'ack' : held.as;
}

function notOurs(held: LeaseRow): string {
  return held.ambiguous
    ? `${held.as} got no answer, and the row is now gone or no longer this delivery's: either that ${held.as} took effect, or the lease ended and another worker has the row.`
    : `${held.as} changed nothing, because the row is gone or no longer this delivery's: its lease ended and it was claimed again, or it was changed elsewhere. Whoever has the row now decides about it.`;
}
