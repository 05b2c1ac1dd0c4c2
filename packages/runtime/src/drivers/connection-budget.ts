/**
 * The accounting of the connections that rows in work hold, shared by all queues over one pool. It
 * lets them have the pool's size less one, so that one connection is always left for a handler, an
 * enqueue or a settlement; of a pool of one, that one.
 */
export interface ConnectionBudget {
  /** The pool's size; `Infinity` where rows in work hold no connection. */
  readonly poolSize: number;
  /** How many connections rows in work may hold at once. */
  readonly most: number;
  /**
   * The owner's own limit of what workers may ask for (`connectionLimit`), if there is one. Each
   * `InboxDatabase` has its own; the workers of all that share the pool are counted.
   */
  readonly limit: number | undefined;
  /** Takes up to `count` connections out of the account; answers how many there were. Never waits. */
  take(count: number): number;
  /** Puts `count` back, and tells those that wait, the longest waiting first. */
  giveBack(count: number): void;
  /** Calls a listener once, when a connection is free again; the answer takes the wish back. */
  whenFree(listener: () => void): () => void;
  /**
   * Enters a worker that would hold up to `concurrency` connections; the answer strikes it off.
   * `undefined` where the workers together would then pass `limit`.
   */
  enter(concurrency: number): (() => void) | undefined;
  /** How many connections the workers entered so far would hold. */
  readonly entered: number;
}

/** What is taken of one pool, and asked of it. */
interface Account {
  taken: number;
  entered: number;
  readonly waiting: Set<() => void>;
}

const accounts = new WeakMap<object, Account>();

/**
 * The budget of a pool, with the same account for every `InboxDatabase` over it: each would else
 * leave one connection that the other takes. `poolSize` and `limit` are whole numbers of at least 1.
 */
export function budgetOf(pool: unknown, poolSize: number, limit?: number): ConnectionBudget {
  // A caller without types may have given anything at all.
  if (typeof pool !== 'object' || pool === null) return connectionBudget(poolSize, limit);
  const account = accounts.get(pool) ?? newAccount();
  accounts.set(pool, account);
  return connectionBudget(poolSize, limit, account);
}

function newAccount(): Account {
  return { taken: 0, entered: 0, waiting: new Set() };
}

/**
 * A budget; one of its own, where no `account` is given. `poolSize` and `limit` are whole numbers of
 * at least 1.
 */
export function connectionBudget(
  poolSize: number,
  limit?: number,
  account: Account = newAccount(),
): ConnectionBudget {
  const most = Math.max(1, poolSize - 1);
  const { waiting } = account;
  return {
    poolSize,
    most,
    limit,
    take(count) {
      const given = Math.min(count, most - account.taken);
      account.taken += given;
      return given;
    },
    giveBack(count) {
      if (count === 0) return;
      account.taken -= count;
      // All are told, in the order in which they came; whoever comes too late waits again.
      const told = [...waiting];
      waiting.clear();
      for (const listener of told) listener();
    },
    whenFree(listener) {
      // A listener that is called twice waits twice.
      const own = (): void => {
        listener();
      };
      waiting.add(own);
      return () => {
        waiting.delete(own);
      };
    },
    enter(concurrency) {
      if (limit !== undefined && account.entered + concurrency > limit) return undefined;
      account.entered += concurrency;
      let left = false;
      return () => {
        if (!left) account.entered -= concurrency;
        left = true;
      };
    },
    get entered() {
      return account.entered;
    },
  };
}
