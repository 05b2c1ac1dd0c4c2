import { extendLane, type ExtendLane } from './extend-lane.js';
import { heldRow, rowEvent, type Held, type LeaseContext } from './held.js';
import { settleLane, type SettleLane } from './settle-lane.js';

/** The lease form of one table: claim, settle and extend, with ownership. */
export interface LeaseForm {
  readonly context: LeaseContext;
  readonly settling: SettleLane;
  readonly extending: ExtendLane;
  /**
   * Takes up to `limit` due rows for `lease` milliseconds, in claim order. Rejects with what the
   * store says; whatever such a claim took after all comes back when its lease ends.
   */
  claim(limit: number, lease: number): Promise<readonly Held[]>;
}

/** The lease form over a store. */
export function leaseForm(context: LeaseContext): LeaseForm {
  const { store, clock, reporter, wakes } = context;
  const settling = settleLane(context);
  return {
    context,
    settling,
    extending: extendLane(context, settling),
    claim: (limit, lease) =>
      store.claim(limit, lease).then(
        ({ rows, sentAt }) => {
          const held = rows.map((cells) => heldRow(cells, lease, sentAt + lease));
          if (reporter.listened()) {
            for (const row of held) {
              reporter.report({ kind: 'claimed', ...rowEvent(context, row), lease });
            }
          }
          return held;
        },
        (error: unknown) => {
          wakes.wakeAt(clock.monotonic() + lease);
          throw error;
        },
      ),
  };
}
