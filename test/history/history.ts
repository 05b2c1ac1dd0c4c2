/** The verbs that end a delivery. `drop` finishes the row, as `ack` does. */
export type Verb = 'ack' | 'drop' | 'retry' | 'release';

/**
 * What one process says about one row, in the order in which it learnt it; one line of a history
 * file. `attempt` is the counted delivery, `fence` the expiry as the database wrote it: the new one
 * for `claimed` and `extended`, the one that was shown for `settled` and `lost`.
 */
export interface HistoryEvent {
  readonly kind: 'claimed' | 'extended' | 'settled' | 'lost';
  readonly id: string;
  readonly attempt: number;
  readonly fence: string;
  /** The expiry that was extended; only where `kind` is `extended`. */
  readonly previous?: string;
  /** What settled the row; only where `kind` is `settled`. */
  readonly verb?: Verb;
}

/** The history of one process. */
export interface ProcessHistory {
  readonly process: string;
  readonly events: readonly HistoryEvent[];
  /** True where the process was killed, so that its last statements may be missing here. */
  readonly killed: boolean;
}

/**
 * Reads what a worker process has written. Only a killed process may have left a torn last line,
 * which is then ignored; anywhere else it throws.
 */
export function readHistory(process: string, text: string, killed: boolean): ProcessHistory {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  if (torn !== '' && !killed) {
    throw new Error(`the history of ${process} ends in the middle of a line`);
  }
  const events = lines.map((line) => JSON.parse(line) as HistoryEvent);
  return { process, events, killed };
}
