import type { InboxError } from '../errors/inbox-error.js';
import type { LeaseStore } from './database.js';

/**
 * The store of a queue that was given a database it cannot work on: every method answers the same
 * error, so that a constructor never throws and `check` and `ready` are the one place to hear of it.
 */
export function refusingStore(error: InboxError): LeaseStore {
  return {
    check: () => Promise.reject(error),
    claim: () => Promise.reject(error),
    settle: (settlements) =>
      Promise.resolve(
        settlements.map(() => ({ state: 'failed', error, ambiguous: false, transient: false })),
      ),
    synchronousTx: false,
    insert: () => Promise.reject(error),
    insertInto: () => Promise.reject(error),
  };
}
