import type { Clock } from '../../clock/clock.js';
import type { Cell, Statement, StatementValue } from '../../statement.js';
import type { Settlement } from '../database.js';
import { columnIndex, placeInFence, type FenceShape } from '../places.js';
import { arrayText } from './array-text.js';

/** Binds a claim's values. */
export type ClaimBinder = (limit: number, lease: number) => (string | null)[];
/** Binds the values of settlements of one verb; `lease` is that of the extensions among them. */
export type SettleBinder = (rows: readonly Settlement[], lease: number) => (string | null)[];
/** Binds the cells of new rows. */
export type InsertBinder = (rows: readonly (readonly Cell[])[]) => (string | null)[];

/** How `lease`, `limit` and `now` of a claim are bound, worked out once per statement. */
export function claimBinder(statement: Statement, clock: Clock): ClaimBinder {
  const sources = statement.values.map((value): ((limit: number, lease: number) => string) => {
    if (value === 'lease') return (_limit, lease) => String(lease);
    if (value === 'limit') return (limit) => String(limit);
    if (value === 'now') return () => nowText(clock);
    return unexpected(value);
  });
  return (limit, lease) => sources.map((source) => source(limit, lease));
}

/** How a settling statement's values are bound: an array a fence value, single `lease` and `now`. */
export function settleBinder(statement: Statement, shape: FenceShape, clock: Clock): SettleBinder {
  const sources = statement.values.map((value): SettleSource => {
    if (value === 'lease') return (_rows, lease) => String(lease);
    if (value === 'now') return () => nowText(clock);
    if (value === 'after') {
      return (rows) => arrayText(rows.length, (index) => afterOf(rows[index]));
    }
    const place = placeInFence(value, shape) ?? unexpected(value);
    return (rows) => arrayText(rows.length, (index) => rows[index]?.fence[place]);
  });
  return (rows, lease) => sources.map((source) => source(rows, lease));
}

type SettleSource = (rows: readonly Settlement[], lease: number) => string;

function afterOf(settlement: Settlement | undefined): Cell {
  return settlement?.verb === 'retry' && settlement.after !== null
    ? String(settlement.after)
    : null;
}

/** How an insert's values are bound: one array a column. */
export function insertBinder(statement: Statement, clock: Clock): InsertBinder {
  const sources = statement.values.map((value): InsertSource => {
    if (value === 'now') return () => nowText(clock);
    // A table that takes no value at all is told only how many rows.
    if (value === 'limit') return (rows) => String(rows.length);
    const column = columnIndex(value) ?? unexpected(value);
    return (rows) => arrayText(rows.length, (index) => rows[index]?.[column]);
  });
  return (rows) => sources.map((source) => source(rows));
}

type InsertSource = (rows: readonly (readonly Cell[])[]) => string;

/** The host's clock as a statement binds it, in milliseconds since the epoch. */
export function nowText(clock: Clock): string {
  return String(Math.floor(clock.wall()));
}

/** A value that no statement of this kind can be given: the module is wrong. */
export function unexpected(value: StatementValue): never {
  throw new Error(`A statement of this kind has no value "${value}".`);
}
