import { show } from '../errors/describe.js';
import { DecodeError } from '../errors/inbox-error.js';
import type { Cell } from '../statement.js';

/**
 * The readers: a cell as the type that the DDL gives its column. Each takes what any database sends
 * for that type (text from Postgres, `bigint` for every stored integer from SQLite) and throws a
 * `DecodeError` that names the column where the cell is NULL, missing or something else.
 */
export type Reader<Value> = (column: string, cell: Cell | undefined) => Value;

/** An integer of at most 32 bits, or any other that fits a JavaScript number exactly. */
export function readInteger(column: string, cell: Cell | undefined): number {
  const value = typeof cell === 'string' && integerText.test(cell) ? Number(cell) : cell;
  const integer = typeof value === 'bigint' ? Number(value) : value;
  return typeof integer === 'number' && Number.isSafeInteger(integer)
    ? integer
    : refuse(column, cell, 'an integer that a number holds exactly');
}

/** An integer of 64 bits. */
export function readBigint(column: string, cell: Cell | undefined): bigint {
  if (typeof cell === 'bigint') return cell;
  if (typeof cell === 'string' && integerText.test(cell)) return BigInt(cell);
  if (typeof cell === 'number' && Number.isSafeInteger(cell)) return BigInt(cell);
  return refuse(column, cell, 'an integer');
}

/** A decimal number, as the text that loses no digit. */
export function readDecimal(column: string, cell: Cell | undefined): string {
  if (typeof cell === 'string' && cell !== '') return cell;
  if (typeof cell === 'bigint' || typeof cell === 'number') return String(cell);
  return refuse(column, cell, 'a decimal number');
}

/** A floating-point number, `NaN` and the infinities among them. */
export function readFloat(column: string, cell: Cell | undefined): number {
  if (typeof cell === 'number') return cell;
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell === 'string') {
    const value = Number(cell);
    if (cell === 'NaN' || (cell.trim() !== '' && !Number.isNaN(value))) return value;
  }
  return refuse(column, cell, 'a number');
}

/** Text: strings of any type, uuid, date and time of day. */
export function readText(column: string, cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  // SQLite stores a number in a column of text affinity only where the column has none declared.
  if (typeof cell === 'bigint' || typeof cell === 'number') return String(cell);
  return refuse(column, cell, 'text');
}

/** JSON, parsed. A number may arrive as one, where SQLite's affinity has made it so. */
export function readJson(column: string, cell: Cell | undefined): unknown {
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell === 'number') return cell;
  if (typeof cell !== 'string') return refuse(column, cell, 'JSON');
  try {
    return JSON.parse(cell) as unknown;
  } catch (cause) {
    throw new DecodeError(column, `Column "${column}" holds ${show(cell)}, which is no JSON.`, {
      cause,
    });
  }
}

/** Bytes, from bytes or from their hexadecimal text (with or without Postgres' `\x`). */
export function readBytes(column: string, cell: Cell | undefined): Uint8Array {
  if (cell instanceof Uint8Array) {
    // A driver's Buffer is a Uint8Array with methods of other meaning; a row has the plain one.
    return new Uint8Array(cell.buffer, cell.byteOffset, cell.byteLength);
  }
  if (typeof cell === 'string' && hexText.test(cell)) {
    const bytes = Buffer.from(cell.startsWith('\\x') ? cell.slice(2) : cell, 'hex');
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  return refuse(column, cell, 'bytes');
}

/** A boolean, in any of the forms that the databases store. */
export function readBoolean(column: string, cell: Cell | undefined): boolean {
  switch (cell) {
    case 1n:
    case 1:
    case 'true':
    case 't':
    case '1':
      return true;
    case 0n:
    case 0:
    case 'false':
    case 'f':
    case '0':
      return false;
    default:
      return refuse(column, cell, 'a boolean');
  }
}

/**
 * An instant: ISO 8601 text with `T` or a blank, UTC unless it says otherwise, or milliseconds
 * since the epoch. A `Date` keeps milliseconds; finer digits are cut.
 */
export function readInstant(column: string, cell: Cell | undefined): Date {
  if (typeof cell === 'bigint' || (typeof cell === 'number' && Number.isSafeInteger(cell))) {
    const date = new Date(Number(cell));
    if (!Number.isNaN(date.getTime())) return date;
  } else if (typeof cell === 'string') {
    const date = parseInstant(cell);
    if (date !== undefined) return date;
  }
  return refuse(column, cell, 'an instant that a Date can hold');
}

/** A column whose type is not known: the cell as it came. */
export function readUnknown(column: string, cell: Cell | undefined): unknown {
  return cell === null || cell === undefined ? refuse(column, cell, 'a value') : cell;
}

/** A column that may be NULL: `null`, or what the other reader makes of the cell. */
export function readNullable<Value>(
  read: Reader<Value>,
  column: string,
  cell: Cell | undefined,
): Value | null {
  return cell === null ? null : read(column, cell);
}

const integerText = /^-?\d+$/;
const hexText = /^(?:\\x)?(?:[0-9a-fA-F]{2})*$/;
const instantText =
  /^(\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

function parseInstant(text: string): Date | undefined {
  const match = instantText.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const dayHolds = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  const timeHolds = Number(hour) <= 24 && Number(minute) < 60 && Number(second) <= 60;
  if (!dayHolds || !timeHolds) return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  date.setUTCHours(Number(hour), Number(minute) - zoneMinutes(zone), Number(second), milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Minutes east of UTC of `Z`, `+05`, `+05:30` or `+0530`. */
function zoneMinutes(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || '0');
  return zone.startsWith('-') ? -minutes : minutes;
}

function refuse(column: string, cell: Cell | undefined, wanted: string): never {
  const held =
    cell === null ? 'is NULL' : cell === undefined ? 'is missing' : `holds ${show(cell)}`;
  throw new DecodeError(column, `Column "${column}" ${held}, where the DDL says ${wanted}.`);
}
