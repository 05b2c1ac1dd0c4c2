import type { InstantStorage } from '../../queue/queue.js';

/**
 * How an expiry column of SQLite is written and compared in SQL. The clock is an expression in
 * milliseconds since the epoch: the database's own, or the host's where the queue says so.
 *
 * Each clock stands in an uncorrelated subquery: SQLite evaluates it once for the whole statement,
 * so that a claim reads the clock once, while a bare 'now' moves on from row to row.
 */
export interface Instant {
  /** Whether the column's instant has come; "now" is rounded down to the column's unit. */
  isPast(column: string, clock: string): string;
  /** "Now" plus milliseconds (an expression; NULL gives NULL), rounded up to the column's unit. */
  later(clock: string, milliseconds: string): string;
}

/** SQLite's own clock in milliseconds since the epoch; `unixepoch('subsec')` is younger than 3.35. */
export const databaseClock = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";

/** The `Instant` for a storage. SQLite keeps instants as integers or as ISO 8601 text. */
export function instantOf(storage: InstantStorage): Instant {
  switch (storage.kind) {
    case 'epoch':
      return epochInstants[storage.unit];
    case 'text':
      return textInstant;
    case 'zoned':
    case 'plain':
      throw new Error('SQLite has no timestamp type');
  }
}

const epochInstants: Readonly<Record<'s' | 'ms' | 'us', Instant>> = {
  s: {
    isPast: (column, clock) => `${column} <= (SELECT ${clock} / 1000)`,
    later: (clock, milliseconds) => `(SELECT (${clock} + ${milliseconds} + 999) / 1000)`,
  },
  ms: {
    isPast: (column, clock) => `${column} <= (SELECT ${clock})`,
    later: (clock, milliseconds) => `(SELECT ${clock} + ${milliseconds})`,
  },
  us: {
    isPast: (column, clock) => `${column} <= (SELECT ${clock} * 1000)`,
    later: (clock, milliseconds) => `(SELECT (${clock} + ${milliseconds}) * 1000)`,
  },
};

/**
 * Text is compared as the moment that it names. As text, what `datetime()` writes (with a blank)
 * would sort before everything of the same day that has the `T`.
 */
const textInstant: Instant = {
  isPast: (column, clock) =>
    `julianday(${column}) <= (SELECT julianday(${clock} / 1000.0, 'unixepoch'))`,
  later: (clock, milliseconds) =>
    `(SELECT strftime('%Y-%m-%dT%H:%M:%fZ', (${clock} + ${milliseconds}) / 1000.0, 'unixepoch'))`,
};
