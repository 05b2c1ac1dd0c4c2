import type { InboxDatabase } from '../drivers/database.js';

/** What is shared about a table of a database. */
export type PerTable<Shared> = (database: InboxDatabase, table: string) => Shared;

/**
 * Something that the parts of one process share about a table: made once for each table of an
 * `InboxDatabase`, when it is first asked for.
 */
export function perTable<Shared>(make: () => Shared): PerTable<Shared> {
  const byDatabase = new WeakMap<object, Map<string, Shared>>();
  return (database, table) => {
    // Whatever else was given is refused by the store, and has nobody to share with.
    const given: unknown = database;
    if (typeof given !== 'object' || given === null) return make();
    let byTable = byDatabase.get(database);
    if (byTable === undefined) {
      byTable = new Map();
      byDatabase.set(database, byTable);
    }
    let shared = byTable.get(table);
    if (shared === undefined) {
      shared = make();
      byTable.set(table, shared);
    }
    return shared;
  };
}
