/** What a worker did. Every row that it claimed is counted once more, by how it ended. */
export interface WorkerTally {
  readonly claimed: number;
  readonly acked: number;
  /** Retried: a handler said so, threw, or the row could not be decoded. */
  readonly retried: number;
  readonly dropped: number;
  /** Given back undecided, with the attempt. */
  readonly released: number;
  /** No longer this worker's when it was settled. */
  readonly lost: number;
  /** Could not be settled; these come back when their lease ends, or have come back at once. */
  readonly failed: number;
  /** Still held when the worker stopped; these come back when their lease or session ends. */
  readonly unsettled: number;
  /** Connections that were closed instead of given back, since they might have held something. */
  readonly connectionsClosed: number;
}

/** A tally to count in. */
export type MutableTally = { -readonly [Count in keyof WorkerTally]: number };

/** A tally of nothing. */
export function emptyTally(): MutableTally {
  return {
    claimed: 0,
    acked: 0,
    retried: 0,
    dropped: 0,
    released: 0,
    lost: 0,
    failed: 0,
    unsettled: 0,
    connectionsClosed: 0,
  };
}
