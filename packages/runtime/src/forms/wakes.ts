import type { InboxDatabase } from '../drivers/database.js';

/** Hears that rows are due, or when some will be. */
export type WakeListener = (at: number) => void;

/** How the parts of one process that use the same table tell each other that rows are due. */
export interface Wakes {
  /** Rows are due now. */
  wake(): void;
  /** A row will be due at a moment of the monotonic clock. */
  wakeAt(at: number): void;
  /** Calls a listener with the moment at which rows are due (0: now), until the answer is called. */
  subscribe(listener: WakeListener): () => void;
}

const wakesByDatabase = new WeakMap<object, Map<string, Wakes>>();

/** The wakes of a table, shared by all queues on the same `InboxDatabase`. */
export function wakesOf(database: InboxDatabase, table: string): Wakes {
  // Whatever else was given is refused by the store, and wakes nobody.
  const given: unknown = database;
  if (typeof given !== 'object' || given === null) return makeWakes();
  let byTable = wakesByDatabase.get(database);
  if (byTable === undefined) {
    byTable = new Map();
    wakesByDatabase.set(database, byTable);
  }
  let wakes = byTable.get(table);
  if (wakes === undefined) {
    wakes = makeWakes();
    byTable.set(table, wakes);
  }
  return wakes;
}

function makeWakes(): Wakes {
  const listeners = new Set<WakeListener>();
  const wakeAt = (at: number): void => {
    for (const listener of listeners) listener(at);
  };
  return {
    wake() {
      wakeAt(0);
    },
    wakeAt,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
