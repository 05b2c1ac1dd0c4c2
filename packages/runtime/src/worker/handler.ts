import type { HandlerDelivery, KeyedDelivery } from './handler-delivery.js';
import type { Outcome, PromptOutcome } from './outcome.js';

/** Works one row in lease form. Returning nothing acknowledges it, throwing retries it with back-off. */
export type Handler<Row> = (
  row: Row,
  delivery: HandlerDelivery,
) => Answer<Outcome> | PromiseLike<Answer<Outcome>>;

/** The same in row-lock form, where a retry cannot be delayed. */
export type RowLockHandler<Row> = (
  row: Row,
  delivery: HandlerDelivery,
) => Answer<PromptOutcome> | PromiseLike<Answer<PromptOutcome>>;

/** The same in advisory form. */
export type AdvisoryHandler<Row> = (
  row: Row,
  delivery: KeyedDelivery,
) => Answer<PromptOutcome> | PromiseLike<Answer<PromptOutcome>>;

// An async function that returns nothing returns a promise of void.

type Answer<Decided> = Decided | undefined | void;
