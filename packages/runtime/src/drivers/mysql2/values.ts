import type { Clock } from '../../clock/clock.js';
import type { Cell, ListStatement, Statement, StatementValue } from '../../statement.js';
import { columnIndex, placeInFence, placeInHold, type FenceShape } from '../places.js';
import { mysqlQuery, type MysqlQuery, type MysqlValue } from './pool.js';

/** The values of a statement that are not a row's: what a call needs, of those that it names. */
export interface SingleValues {
  /** Milliseconds. */
  readonly lease?: number;
  /** Milliseconds; null for "due at once". */
  readonly after?: number | null;
  readonly limit?: number;
  readonly candidates?: number;
  readonly held?: Cell;
  /** What a session lock is taken on. */
  readonly lock?: Cell;
}

/** Makes a query of a plain statement. */
export type QueryBinder = (values: SingleValues) => MysqlQuery;
/** Makes a query of a plain statement about one row, whose leading cells these are. */
export type RowBinder = (cells: readonly Cell[], values?: SingleValues) => MysqlQuery;
/** Makes the queries of a list statement that serve so many rows: fences, or cells of new rows. */
export type ListBinder = (values: SingleValues, rows: Rows) => readonly MysqlQuery[];

type Rows = readonly (readonly Cell[])[];

/**
 * How many rows a list is written for. One that holds fewer is filled up with NULL, which is no
 * row's key, so that the number of statements that a connection keeps prepared is bounded.
 */
const listSizes = [1, 4, 16, 64, 128] as const;
const longestList = 128;

/** How a plain statement's values are bound. */
export function queryBinder({ text, values }: Statement, clock: Clock): QueryBinder {
  return (given) =>
    mysqlQuery(
      text,
      values.map((value) => singleValue(value, given, clock)),
    );
}

/** How the values of a statement about one held row are bound: its key, its counted attempt, its lock. */
export function rowBinder({ text, values }: Statement, shape: FenceShape, clock: Clock): RowBinder {
  const places = values.map((value) => placeInHold(value, shape));
  return (cells, given = {}) =>
    mysqlQuery(
      text,
      values.map((value, index) => {
        const place = places[index];
        return place === undefined
          ? singleValue(value, given, clock)
          : boundValue(cells[place] ?? null);
      }),
    );
}

/** How the values of a statement with a list of fences are bound. */
export function listBinder(statement: ListStatement, shape: FenceShape, clock: Clock): ListBinder {
  const textOf = textsOf(statement);
  const places = statement.each.map((value) => placeInFence(value, shape) ?? unexpected(value));
  return (given, rows) => {
    const queries: MysqlQuery[] = [];
    for (let from = 0; from < rows.length; from += longestList) {
      const count = Math.min(rows.length - from, longestList);
      const size = listSizes.find((most) => most >= count) ?? longestList;
      const values = statement.values.map((value) => singleValue(value, given, clock));
      for (let index = from; index < from + size; index += 1) {
        const row = rows[index];
        for (const place of places) values.push(boundValue(row?.[place] ?? null));
      }
      queries.push(mysqlQuery(textOf(size), values));
    }
    return queries;
  };
}

/** Makes the query of an insert of exactly these rows. */
export function insertBinder(statement: ListStatement, clock: Clock): (rows: Rows) => MysqlQuery {
  const textOf = textsOf(statement);
  const columns = statement.each.map((value) => columnIndex(value) ?? unexpected(value));
  return (rows) => {
    const values = statement.values.map((value) => singleValue(value, {}, clock));
    for (const row of rows) {
      for (const column of columns) values.push(boundValue(row[column] ?? null));
    }
    return mysqlQuery(textOf(rows.length), values);
  };
}

/** The text of a list statement for each number of rows, made once. */
function textsOf(statement: ListStatement): (rows: number) => string {
  const texts = new Map<number, string>();
  return (rows) => {
    let text = texts.get(rows);
    if (text === undefined) {
      text = statement.text(rows);
      texts.set(rows, text);
    }
    return text;
  };
}

function singleValue(value: StatementValue, given: SingleValues, clock: Clock): MysqlValue {
  switch (value) {
    case 'now':
      return String(Math.floor(clock.wall()));
    case 'lease':
    case 'limit':
    case 'candidates':
      return String(given[value] ?? unexpected(value));
    case 'after':
      return given.after === undefined || given.after === null ? null : String(given.after);
    case 'held':
    case 'lock':
      return boundValue(given[value] ?? null);
    default:
      return unexpected(value);
  }
}

/** A cell as it is bound, the same whatever the driver would make of its type. */
function boundValue(cell: Cell): MysqlValue {
  if (typeof cell === 'bigint') return String(cell);
  // Neither server has a NaN or an infinity: as text it is refused, and not written as garbage.
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  return cell instanceof Uint8Array
    ? Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength)
    : cell;
}

function unexpected(value: StatementValue): never {
  throw new Error(`A statement of this kind has no value "${value}".`);
}
