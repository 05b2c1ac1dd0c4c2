import type { InstantStorage } from '../../queue/queue.js';

/**
 * How an expiry column of MySQL or MariaDB is read, written and compared in SQL, in UTC.
 *
 * An expiry is computed once, as the text (or integer) in which the column keeps it, rounded up to
 * its digits, and written back as that text: what was written is what is read. The digits are cut
 * from the text, since of two DATETIMEs one server rounds where the other cuts. `clock` is the host's in microseconds since the epoch, or undefined for the database's own.
 */
export interface Instant {
  /** "Now" in the column's own type. */
  now(clock: string | undefined): string;
  /** "Now" plus milliseconds (an integer expression; NULL gives NULL) as the column's text. */
  later(clock: string | undefined, milliseconds: string): string;
}

/** The `Instant` for a storage. */
export function instantOf(storage: InstantStorage): Instant {
  switch (storage.kind) {
    // TIMESTAMP keeps moments; its statements run with the session's zone set to UTC.
    case 'zoned':
    case 'plain':
      return datetimeInstant(storage.digits);
    case 'epoch':
      return epochInstant(microsecondsPerUnit[storage.unit]);
    case 'text':
      throw new Error('MySQL has no expiry column of text');
  }
}

const microsecondsPerUnit = { s: 1_000_000, ms: 1_000, us: 1 } as const;

const epoch = "TIMESTAMP '1970-01-01 00:00:00.000000'";

function datetimeInstant(digits: number): Instant {
  const now = (clock: string | undefined): string =>
    clock === undefined ? 'UTC_TIMESTAMP(6)' : `(${epoch} + INTERVAL ${clock} MICROSECOND)`;
  const up = 10 ** (6 - digits) - 1;
  const seconds = 'YYYY-MM-DD HH:MM:SS'.length;
  const length = digits === 0 ? seconds : seconds + 1 + digits;
  return {
    now,
    later: (clock, milliseconds) => {
      const micros = `${milliseconds} * 1000${up === 0 ? '' : ` + ${up}`}`;
      return `LEFT(${now(clock)} + INTERVAL ${micros} MICROSECOND, ${length})`;
    },
  };
}

function epochInstant(unit: number): Instant {
  const micros = (clock: string | undefined): string =>
    clock ?? `TIMESTAMPDIFF(MICROSECOND, ${epoch}, UTC_TIMESTAMP(6))`;
  const inUnits = (text: string): string => (unit === 1 ? text : `(${text}) DIV ${unit}`);
  return {
    now: (clock) => inUnits(micros(clock)),
    later: (clock, milliseconds) => {
      const up = unit === 1 ? '' : ` + ${unit - 1}`;
      return `CAST(${inUnits(`${micros(clock)} + ${milliseconds} * 1000${up}`)} AS CHAR)`;
    },
  };
}
