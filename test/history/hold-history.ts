import type { Verb } from './history.js';

/**
 * What one process says about one delivery of a row that a session holds, in the order in which it
 * learnt it; one line of a history file. `held` names the delivery, once in the life of a process.
 * `at` is the machine's monotonic clock in nanoseconds, the same for all its processes.
 *
 * A claim is written when its answer has come, so the row was held before; `left` when the handler
 * ends, and the row is held until its settlement is sent. Between the two nobody else may have it.
 * `lost` where its session had ended, or its settlement failed.
 */
export type HoldEvent =
  | {
      readonly kind: 'claimed';
      readonly id: string;
      readonly held: string;
      readonly attempt: number;
      /** What must be in work once at a time beside the row: the advisory key, or the row itself. */
      readonly key: string;
      readonly at: string;
    }
  | { readonly kind: 'left'; readonly id: string; readonly held: string; readonly at: string }
  | { readonly kind: 'settled'; readonly id: string; readonly held: string; readonly verb: Verb }
  | { readonly kind: 'lost'; readonly id: string; readonly held: string };

/** The history of one process that works a table in row-lock or advisory form. */
export interface HoldHistory {
  readonly process: string;
  readonly events: readonly HoldEvent[];
  /** When it was killed, just before the signal was sent; undefined where it ended by itself. */
  readonly killedAt?: bigint;
}

/**
 * Reads what a worker process has written. Only a killed process may have left a torn last line,
 * which is then ignored; anywhere else it throws.
 */
export function readHoldHistory(process: string, text: string, killedAt?: bigint): HoldHistory {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  if (torn !== '' && killedAt === undefined) {
    throw new Error(`the history of ${process} ends in the middle of a line`);
  }
  const events = lines.map((line) => JSON.parse(line) as HoldEvent);
  return { process, events, ...(killedAt === undefined ? {} : { killedAt }) };
}
