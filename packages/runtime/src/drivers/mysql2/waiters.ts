import { corePoolOf, memberOf } from './pool.js';

/** Those who wait for a connection of one pool, as far as it tells. */
export interface MysqlWaiters {
  /** Whether there may be any. */
  readonly any: boolean;
}

/** A pool that tells of itself, as that of mysql2 does. */
interface TellingPool {
  on(event: 'enqueue' | 'release', listener: () => void): unknown;
}

const known = new WeakMap<object, MysqlWaiters>();

/**
 * Who waits for a connection of a pool: the same answer for everything that stands before it, so that
 * it is listened to once however often it is given. Nobody, where it does not tell.
 */
export function mysqlWaiters(pool: unknown): MysqlWaiters {
  const core = corePoolOf(pool);
  if (!isTelling(core)) return { any: false };
  const found = known.get(core);
  if (found !== undefined) return found;
  const waiters = { any: false };
  known.set(core, waiters);
  core.on('enqueue', () => {
    waiters.any = true;
  });
  // Who waited for a connection is handed it; one is only put aside where nobody is left.
  core.on('release', () => {
    waiters.any = false;
  });
  return waiters;
}

function isTelling(pool: unknown): pool is TellingPool {
  return typeof memberOf(pool, 'on') === 'function';
}
