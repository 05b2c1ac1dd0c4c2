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
export type { InboxDatabase } from './drivers/database.js';
export type { EventListener, InboxEvent, RowEvent, SettledAs } from './forms/events.js';
export { exponentialBackoff, type Backoff } from './worker/backoff.js';
export type { Delivery, HandlerDelivery } from './worker/delivery.js';
export type { Handler, QueueOptions, WorkOptions } from './worker/lease-queue.js';
export { ack, drop, retry, type Outcome } from './worker/outcome.js';
export type { WorkerTally } from './worker/tally.js';
export type { Worker, WorkerStats } from './worker/worker.js';
