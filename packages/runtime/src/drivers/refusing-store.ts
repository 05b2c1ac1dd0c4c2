import type { InboxError } from '../errors/inbox-error.js';
import type { LeaseStore } from './database.js';
import type { HoldStore } from './hold-store.js';
import type { TableStore } from './table-store.js';

/**
 * The store of a queue that was given a database it cannot work on: every method answers the same
 * error, so that a constructor never throws and `check` and `ready` are the one place to hear of it.
 */
export function refusingStore(error: InboxError): LeaseStore {
  return {
    ...refusingTable(error),
    claim: () => Promise.reject(error),
    settle: (settlements) =>
      Promise.resolve(
        settlements.map(() => ({ state: 'failed', error, ambiguous: false, transient: false })),
      ),
  };
}

/** The same for a queue whose rows are held by a session. */
export function refusingHoldStore(error: InboxError): HoldStore {
  return { ...refusingTable(error), rowsPerClaim: 1, claim: () => Promise.reject(error) };
}

function refusingTable(error: InboxError): TableStore {
  return {
    check: () => Promise.reject(error),
    synchronousTx: false,
    insert: () => Promise.reject(error),
    insertInto: () => Promise.reject(error),
  };
}
