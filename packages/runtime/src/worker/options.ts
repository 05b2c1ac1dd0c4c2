import type { Clock } from '../clock/clock.js';
import type { Duration } from '../duration.js';
import { requireMilliseconds } from '../errors/options.js';
import type { EventListener } from '../forms/events.js';
import type { Backoff } from './backoff.js';

/** What holds for everything that is done through one queue object. */
export interface QueueOptions {
  /**
   * In lease form, how long a claimed row is held before it is extended or comes back. Default
   * `'30s'`.
   */
  readonly lease?: Duration | undefined;
  /** How long a worker waits after a claim that found too little. Default `'1s'`. */
  readonly poll?: Duration | undefined;
  /** Receives the queue's events. */
  readonly on?: EventListener | undefined;
  /** Replaces the host's clock, in tests. */
  readonly clock?: Clock | undefined;
}

/** How a worker works, in every form. */
export interface WorkOptions {
  /** How many rows are handled at a time. Default 1. */
  readonly concurrency?: number | undefined;
  /** How long to wait after a claim that found too little. Default the queue's. */
  readonly poll?: Duration | undefined;
  /**
   * How long a row waits after its handler threw. Default `exponentialBackoff`. In row-lock and
   * advisory form the row is held meanwhile, and waits a minute at most.
   */
  readonly backoff?: Backoff | undefined;
  /** Receives the worker's events, beside the queue's `on`. */
  readonly on?: EventListener | undefined;
}

/** How a worker works in lease form. */
export interface LeaseWorkOptions extends WorkOptions {
  /** How long a row is held; extended every half of it while its handler runs. Default the queue's. */
  readonly lease?: Duration | undefined;
}

/** A lease in milliseconds. Throws `bad-option` for what is none. */
export function leaseOf(options: QueueOptions, lease?: Duration): number {
  return requireMilliseconds('lease', lease ?? options.lease ?? '30s', 1);
}

/** The pause between polls in milliseconds. Throws `bad-option` for what is none. */
export function pollOf(options: QueueOptions, poll?: Duration): number {
  return requireMilliseconds('poll', poll ?? options.poll ?? '1s', 1);
}
