import { perTable, type PerTable } from './per-table.js';

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

/** The wakes of a table, shared by all queues on the same `InboxDatabase`. */
export const wakesOf: PerTable<Wakes> = perTable(makeWakes);

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
