import type { Form } from './form.js';
import { isUndecided } from './held.js';
import { keeper } from './keeper.js';
import type { LeaseForm } from './lease.js';
import type { LeaseRow } from './lease-row.js';

/** How long a stopping worker waits for rows that it gave back, in milliseconds. */
const lastWait = 5_000;

/**
 * The lease form as a worker uses it: claims of `lease` milliseconds, extended for as long as the
 * rows are in work. No row holds a connection, so one claim is for all free handlers, and the next
 * rows are claimed beside the settlement of the last.
 */
export function keptLeases(form: LeaseForm, lease: number): Form<LeaseRow> {
  const { context } = form;
  const { clock, store } = context;
  const keeping = keeper(context, form.extending, lease);

  /**
   * A handler that blocked the event loop past its lease has a row that is decided and due again. A
   * claim beside its settlement could take that row from it; the settlement's answer comes first.
   */
  function anyDecidedTooLate(): boolean {
    const now = clock.monotonic();
    for (const row of keeping.rows) {
      if (row.provedUntil <= now && !isUndecided(row) && row.phase !== 'lost') return true;
    }
    return false;
  }

  function take(limit: number): Promise<readonly LeaseRow[]> {
    return form.claim(limit, lease).then((claimed) => {
      keeping.add(claimed);
      return claimed;
    });
  }

  return {
    context,
    store,
    rows: keeping.rows,
    rowsPerClaim: Infinity,
    settlesAhead: true,
    delays: true,
    lastWait,
    connectionsClosed: 0,
    enter: () => undefined,
    claim(limit) {
      if (anyDecidedTooLate()) return undefined;
      const proving = keeping.prove();
      return proving === undefined ? take(limit) : proving.then(() => take(limit));
    },
    whenFree: () => () => undefined,
    isProved: ({ provedUntil }) => provedUntil > clock.monotonic(),
    settle(row, as, after, listener) {
      form.settle(row, as, after, listener);
    },
    lostError: (row) => form.lostError(row),
    forget(row) {
      keeping.remove(row);
    },
    end() {
      keeping.end();
      form.end();
    },
  };
}
