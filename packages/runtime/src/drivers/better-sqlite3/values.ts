import type { Clock } from '../../clock/clock.js';
import type { Cell, Statement, StatementValue } from '../../statement.js';
import { columnIndex } from '../places.js';

/**
 * Binds the values of one statement of one row, `?` by `?`. The answer is the binder's own array,
 * filled anew by the next call: SQLite has taken the values when the statement returns.
 */
export type RowBinder = (row: readonly Cell[], milliseconds: number | null) => readonly unknown[];

/**
 * How a statement's values are bound, worked out once. `row` is what `placeOf` knows its way in (the
 * cells of a claimed row), or a new row's cells; `milliseconds` is the one number that a verb has:
 * `lease` or `after`. Integers are bound as `bigint`, because SQLite would store a number as REAL.
 */
export function rowBinder(
  statement: Statement,
  placeOf: (value: StatementValue) => number | undefined,
  clock: Clock,
): RowBinder {
  const places = statement.values.map((value): number => {
    if (value === 'lease' || value === 'after') return millisecondsPlace;
    if (value === 'now') return nowPlace;
    const place = columnIndex(value) ?? placeOf(value);
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

/** The values of a statement that is about no single row. */
export type NamedValues = Partial<
  Record<'lease' | 'limit' | 'candidates' | 'inWork' | 'lock', Cell>
>;

/** Binds values by their names. */
export type NamedBinder = (values: NamedValues) => Cell[];

/** How the values of a claim, a search for candidates or a lock are bound. */
export function namedBinder(statement: Statement, clock: Clock): NamedBinder {
  return (values) =>
    statement.values.map((name) => {
      if (name === 'now') return hostNow(clock);
      const value = values[name as keyof NamedValues];
      if (value === undefined) throw new Error(`A statement has no value "${name}".`);
      return value;
    });
}

const millisecondsPlace = -1;
const nowPlace = -2;

function hostNow(clock: Clock): bigint {
  return BigInt(Math.floor(clock.wall()));
}
