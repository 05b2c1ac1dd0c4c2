import type { Clock } from '../../clock/clock.js';
import type { Cell, Statement, StatementValue } from '../../statement.js';
import { placeInHold } from '../places.js';
import type { DriverTable } from '../tables.js';
import type { PgQuery } from './pool.js';
import type { PgSession } from './session.js';
import { pgText } from './text.js';
import { nowText, unexpected } from './values.js';

/** What the statements of one held row, or of its claim, are bound from. */
export interface PgBound {
  /** The row's cells: key, counted attempt. */
  readonly cells?: readonly Cell[];
  /** What the session's lock is taken on. */
  readonly lock?: Cell;
  /** How many due rows a claim may look at. */
  readonly candidates?: number;
}

/** A statement of a form that holds its rows, with its values. */
export type PgHoldStatement = (bound: PgBound) => PgQuery;

/** A statement of a form that holds its rows, its values' places worked out once. */
export function holdStatement(
  session: PgSession,
  statement: Statement,
  table: DriverTable,
): PgHoldStatement {
  const text = pgText(statement);
  const sources = statement.values.map((value) => sourceOf(value, table, session.clock));
  return (bound) =>
    session.queryOf(
      text,
      sources.map((source) => source(bound)),
    );
}

/** The same for a statement that not every table has. */
export function holdStatementIf(
  session: PgSession,
  statement: Statement | undefined,
  table: DriverTable,
): PgHoldStatement | undefined {
  return statement === undefined ? undefined : holdStatement(session, statement, table);
}

function sourceOf(
  value: StatementValue,
  shape: DriverTable,
  clock: Clock,
): (bound: PgBound) => string | null {
  if (value === 'now') return () => nowText(clock);
  if (value === 'lock') return ({ lock }) => textOf(lock);
  if (value === 'candidates') return ({ candidates }) => textOf(candidates);
  const place = placeInHold(value, shape) ?? unexpected(value);
  return ({ cells }) => textOf(cells?.[place]);
}

function textOf(cell: Cell | undefined): string | null {
  // What this driver reads is text already.
  return cell === undefined || cell === null ? null : String(cell);
}
