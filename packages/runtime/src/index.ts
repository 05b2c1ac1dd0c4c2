/**
 * What a program that works queues imports: the outcomes of a handler, errors and types. The
 * drivers are `inbox-runtime/pg`, `inbox-runtime/mysql2` and `inbox-runtime/better-sqlite3`; generated
 * modules import `inbox-runtime/v1`.
 */
export { runtimeErrorCodes, type RuntimeErrorCode } from './errors/codes.js';
export {
  DecodeError,
  EncodeError,
  InboxError,
  LeaseLostError,
  type InboxErrorContext,
} from './errors/inbox-error.js';
export type { Clock, Timer } from './clock/clock.js';
export type { Duration } from './duration.js';
export type { ConnectionBudget } from './drivers/connection-budget.js';
export type { InboxDatabase } from './drivers/database.js';
export type {
  LockConnections,
  MysqlLockConnection,
  OwnLock,
  PostgresLockConnection,
  SqliteLockConnection,
} from './drivers/own-lock.js';
export type { ServerLimit } from './drivers/table-store.js';
export type { EventListener, InboxEvent, RowEvent, SettledAs } from './forms/events.js';
export { exponentialBackoff, type Backoff } from './worker/backoff.js';
export type { ClaimedRow, Delivery, HeldDelivery, KeyedHeldDelivery } from './worker/delivery.js';
export type { AdvisoryHandler, Handler, RowLockHandler } from './worker/handler.js';
export type { HandlerDelivery, KeyedDelivery } from './worker/handler-delivery.js';
export type { LeaseWorkOptions, QueueOptions, WorkOptions } from './worker/options.js';
export {
  ack,
  drop,
  retry,
  type Ack,
  type DelayedRetry,
  type Drop,
  type Outcome,
  type PromptOutcome,
  type Retry,
} from './worker/outcome.js';
export type { WorkerTally } from './worker/tally.js';
export type { Worker, WorkerStats } from './worker/worker.js';
