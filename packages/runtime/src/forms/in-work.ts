import { perTable, type PerTable } from './per-table.js';

/**
 * How many rows of a table this process has in work or is claiming, in a form whose rows are held by
 * sessions: a claim must look past as many.
 */
export interface InWork {
  count: number;
}

/** The count of a table, shared by all queues on the same `InboxDatabase`. */
export const inWorkOf: PerTable<InWork> = perTable(() => ({ count: 0 }));
