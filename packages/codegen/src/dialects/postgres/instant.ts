import type { InstantStorage } from '../../queue/queue.js';

/**
 * How an expiry column of Postgres is read, written and compared in SQL. The database's clock (or
 * the host's, where the queue says so) is `clock`, an expression of type `timestamptz`.
 *
 * Durations come in as milliseconds. An expiry is rounded up to what the column can hold, so that
 * what was written is what is read back; "now" is rounded down, so that nothing is due too early.
 */
export interface Instant {
  /** "Now" in the column's own type, to compare the column with. */
  now(clock: string): string;
  /** "Now" plus `milliseconds` (an expression; NULL gives NULL) in the column's own type. */
  later(clock: string, milliseconds: string): string;
  /** The column as text that loses nothing: microseconds since the epoch, or the integer itself. */
  held(column: string): string;
  /** A held value, a `bigint` expression, in the column's own type. */
  restored(held: string): string;
}

/** How many units an epoch column counts to the second. */
const unitsPerSecond = { s: 1, ms: 1_000, us: 1_000_000 } as const;

/** The `Instant` for a storage. Postgres keeps no instant as text. */
export function instantOf(storage: InstantStorage): Instant {
  switch (storage.kind) {
    case 'zoned':
      return timestampInstant(storage.digits, 'timestamptz', (clock) => clock);
    case 'plain':
      return timestampInstant(
        storage.digits,
        'timestamp',
        (clock) => `${clock} AT TIME ZONE 'UTC'`,
      );
    case 'epoch':
      return epochInstant(unitsPerSecond[storage.unit]);
    case 'text':
      throw new Error('Postgres has no expiry column of text');
  }
}

function timestampInstant(
  digits: number,
  type: 'timestamptz' | 'timestamp',
  inType: (clock: string) => string,
): Instant {
  const now = (clock: string): string => inType(clock);
  const later = (clock: string, milliseconds: string): string => {
    const exact = `${inType(clock)} + ${milliseconds} * interval '1 millisecond'`;
    if (digits >= 6) return exact;
    // A cast rounds to the nearest; half a unit less a microsecond makes that "up".
    const half = 10 ** (6 - digits) / 2 - 1;
    return `(${exact} + interval '${half} microseconds')::${type}(${digits})`;
  };
  return {
    now,
    later,
    held: (column) => `(extract(epoch FROM ${column}) * 1000000)::bigint::text`,
    restored: (held) => `${type} 'epoch' + ${held} * interval '1 microsecond'`,
  };
}

function epochInstant(units: number): Instant {
  const seconds = (clock: string): string => `extract(epoch FROM ${clock})`;
  return {
    now: (clock) => `floor(${seconds(clock)} * ${units})::bigint`,
    later: (clock, milliseconds) =>
      `ceil((${seconds(clock)} + ${milliseconds} / 1000) * ${units})::bigint`,
    held: (column) => `${column}::text`,
    restored: (held) => held,
  };
}
