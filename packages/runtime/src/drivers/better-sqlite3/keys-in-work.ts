import type { DatabaseIdentity } from './database-file.js';

/**
 * The lock keys that rows in work hold, by database. It stands in for the locks that SQLite does not
 * have, so it protects within this thread of this process and nowhere else.
 */
export interface KeysInWork {
  hold(key: string, holder: KeyHolder): void;
  /** Frees a key, unless another holds it by now. */
  free(key: string, holder: KeyHolder): void;
  /** All keys held, but for those of some holders, and of those whose handle was closed. */
  except(holders: ReadonlySet<object>): Set<string>;
}

/** A row in work. */
export interface KeyHolder {
  /** False once the handle that it was claimed through is closed. */
  isOpen(): boolean;
}

type Registry = Map<DatabaseIdentity, Map<string, KeyHolder>>;

// By a global name, so that two copies of this package in one process see each other's keys.
const registryName = Symbol.for('inbox-runtime.sqlite-keys-in-work');
const place = globalThis as { [registryName]?: Registry };
const registry: Registry =
  place[registryName] ?? new Map<DatabaseIdentity, Map<string, KeyHolder>>();
place[registryName] = registry;

/** The keys in work of one database, shared by all that ask for it. */
export function keysInWork(database: DatabaseIdentity): KeysInWork {
  return {
    hold(key, holder) {
      const keys = registry.get(database) ?? new Map<string, KeyHolder>();
      registry.set(database, keys.set(key, holder));
    },
    free(key, holder) {
      const keys = registry.get(database);
      if (keys?.get(key) !== holder) return;
      keys.delete(key);
      if (keys.size === 0) registry.delete(database);
    },
    except(holders) {
      const held = new Set<string>();
      for (const [key, holder] of registry.get(database) ?? []) {
        // The inode of a deleted file may be that of a new one, whose rows are nobody's.
        if (!holder.isOpen()) this.free(key, holder);
        else if (!holders.has(holder)) held.add(key);
      }
      return held;
    },
  };
}
