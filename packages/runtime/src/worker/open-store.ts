import type { InboxDatabase } from '../drivers/database.js';
import { kindOf } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import type { DatabaseName } from '../statement.js';

/**
 * Opens a table on a database. JavaScript can hand over anything, and `check` is to say so, not a
 * TypeError: where the database is none, or not one that the class was generated for, the store is
 * one that answers every call with the error `refuse` is given.
 */
export function openStore<Name extends DatabaseName, Store>(
  database: InboxDatabase<Name>,
  { queue, statements }: { readonly queue: string; readonly statements: object },
  open: (database: InboxDatabase<Name>) => Store,
  refuse: (error: InboxError) => Store,
): Store {
  const given: unknown = database;
  if (typeof given !== 'object' || given === null || !('openLease' in given)) {
    return refuse(
      new InboxError(
        'wrong-database',
        `Queue ${queue}: it was given ${kindOf(database)}, which is no InboxDatabase. Wrap the driver's object: postgres(pool), mysql(pool), mariadb(pool) or sqlite(db).`,
        { queue },
      ),
    );
  }
  if (!(database.kind in statements)) {
    const wanted = Object.keys(statements).join(' and ');
    return refuse(
      new InboxError(
        'wrong-database',
        `Queue ${queue}: it was generated for ${wanted} and was given a database of ${database.kind}. Give it the right one, or generate it for ${database.kind} too (--dialect ${database.kind}).`,
        { queue },
      ),
    );
  }
  return open(database);
}
