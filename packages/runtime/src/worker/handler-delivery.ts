import { signalOf, type Held } from '../forms/held.js';
import type { HoldRow } from '../forms/hold-row.js';

/** What a handler gets beside the row. */
export interface HandlerDelivery {
  /** Which delivery of the row this is: the first is 1. Null where the table does not count. */
  readonly attempt: number | null;
  /**
   * Aborts when the row is lost, or (in lease form) when it can no longer be proved that it is not,
   * and when the worker stops and its time is up. The reason is an `InboxError`: a `LeaseLostError`,
   * or one with code `transaction-lost`, `lock-lost` or `worker-stopped`.
   */
  readonly signal: AbortSignal;
}

/** What a handler gets beside the row in advisory form. */
export interface KeyedDelivery extends HandlerDelivery {
  /** The row's key as the database rendered it: no other row of the same key is in work. */
  readonly lockKey: string;
}

/** The row behind a handler's delivery. */
const heldOf = Symbol('held');

/** One getter for all deliveries: a closure for each would cost more than the rest of them. */
const deliveries = {
  get signal(): AbortSignal {
    return signalOf((this as unknown as { readonly [heldOf]: Held })[heldOf]);
  },
};

type MutableDelivery = { attempt: number | null; [heldOf]: Held } & HandlerDelivery;
type MutableKeyedDelivery = { lockKey: string } & HandlerDelivery;

/** What the handler of a row gets, in lease and in row-lock form. */
export function handlerDelivery(held: Held, attempt: number | null): HandlerDelivery {
  const delivery = Object.create(deliveries) as MutableDelivery;
  delivery.attempt = attempt;
  delivery[heldOf] = held;
  return delivery;
}

/** The same in advisory form. */
export function keyedDelivery(row: HoldRow, attempt: number | null): KeyedDelivery {
  const delivery = handlerDelivery(row, attempt) as MutableKeyedDelivery;
  delivery.lockKey = row.hold.lockKey ?? '';
  return delivery;
}
