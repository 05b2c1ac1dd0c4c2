import type { Clock } from '../../clock/clock.js';
import type { Cell, Statement } from '../../statement.js';
import { columnIndex, placeInFence, type FenceShape } from '../places.js';

/**
 * Binds the values of one statement of one row, `?` by `?`. The answer is the binder's own array,
 * filled anew by the next call: SQLite has taken the values when the statement returns.
 */
export type RowBinder = (row: readonly Cell[], milliseconds: number | null) => readonly unknown[];

/**
 * How a statement's values are bound, worked out once. `row` is a fence, or a new row's cells;
 * `milliseconds` is the one number that a verb has: `lease`, `after`, or a claim's `limit`
 * beside them. Integers are bound as `bigint`, because SQLite would store a number as REAL.
 */
export function rowBinder(statement: Statement, shape: FenceShape, clock: Clock): RowBinder {
  const places = statement.values.map((value): number => {
    if (value === 'lease' || value === 'after') return millisecondsPlace;
    if (value === 'now') return nowPlace;
    const place = columnIndex(value) ?? placeInFence(value, shape);
    if (place === undefined) throw new Error(`A statement of one row has no value "${value}".`);
    return place;
  });
  const values: unknown[] = places.map(() => null);
  return (row, milliseconds) => {
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index] ?? nowPlace;
      if (place >= 0) values[index] = row[place];
      else if (place === nowPlace) values[index] = hostNow(clock);
      else values[index] = milliseconds === null ? null : BigInt(milliseconds);
    }
    return values;
  };
}

/** Binds a claim's values. */
export type ClaimBinder = (limit: number, lease: number) => Cell[];

/** How `lease`, `limit` and `now` of a claim are bound. */
export function claimBinder(statement: Statement, clock: Clock): ClaimBinder {
  return (limit, lease) =>
    statement.values.map((value) => {
      if (value === 'lease') return BigInt(lease);
      if (value === 'limit') return BigInt(limit);
      if (value === 'now') return hostNow(clock);
      throw new Error(`A claim has no value "${value}".`);
    });
}

const millisecondsPlace = -1;
const nowPlace = -2;

function hostNow(clock: Clock): bigint {
  return BigInt(Math.floor(clock.wall()));
}
