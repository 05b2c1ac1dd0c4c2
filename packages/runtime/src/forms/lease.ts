import { extendLane, type ExtendLane } from './extend-lane.js';
import type { Settling } from './form.js';
import { rowEvent } from './held.js';
import { leaseLost, leaseRow, type LeaseContext, type LeaseRow } from './lease-row.js';
import { settleLane } from './settle-lane.js';

/** The lease form of one table: claim, settle and extend, with ownership. */
export interface LeaseForm extends Settling<LeaseRow> {
  readonly context: LeaseContext;
  readonly extending: ExtendLane;
  /**
   * Takes up to `limit` due rows for `lease` milliseconds, in claim order. Rejects with what the
   * store says; whatever such a claim took after all comes back when its lease ends.
   */
  claim(limit: number, lease: number): Promise<readonly LeaseRow[]>;
  /** Gives up what could not be settled yet. */
  end(): void;
}

/** The lease form over a store. */
export function leaseForm(context: LeaseContext): LeaseForm {
  const { store, clock, reporter, wakes } = context;
  const settling = settleLane(context);
  return {
    context,
    extending: extendLane(context, settling),
    settle(row, as, after, listener) {
      settling.settle(row, as, after, listener);
    },
    lostError: (row) =>
      leaseLost(
        context,
        row,
        "the row is no longer this delivery's: its lease ended and it was claimed again, or it was changed elsewhere.",
      ),
    claim: (limit, lease) =>
      store.claim(limit, lease).then(
        ({ rows, sentAt }) => {
          const claimed = rows.map((cells) => leaseRow(cells, lease, sentAt + lease));
          if (reporter.listened()) {
            for (const row of claimed) {
              reporter.report({ kind: 'claimed', ...rowEvent(context, row), lease });
            }
          }
          return claimed;
        },
        (error: unknown) => {
          wakes.wakeAt(clock.monotonic() + lease);
          throw error;
        },
      ),
    end() {
      settling.end();
    },
  };
}
