import { messageOf, show } from '../errors/describe.js';
import { EncodeError } from '../errors/inbox-error.js';
import type { Cell } from '../statement.js';

/**
 * The writers: a property of a new row as the cell that its column is written from. Each throws an
 * `EncodeError` that names the column where the value cannot be written without loss.
 */
export type Writer<Value> = (column: string, value: Value) => Cell;

/** An integer of at most 32 bits. */
export function writeInteger(column: string, value: number): Cell {
  return Number.isSafeInteger(value) ? BigInt(value) : refuse(column, value, 'a whole number');
}

/** An integer of 64 bits. */
export function writeBigint(column: string, value: bigint): Cell {
  if (typeof value !== 'bigint') return refuse(column, value, 'a bigint');
  return value === BigInt.asIntN(64, value)
    ? value
    : refuse(column, value, 'a bigint of at most 64 bits');
}

/** An integer of 64 bits without a sign. */
export function writeUnsignedBigint(column: string, value: bigint): Cell {
  if (typeof value !== 'bigint') return refuse(column, value, 'a bigint');
  return value === BigInt.asUintN(64, value)
    ? value
    : refuse(column, value, 'a bigint from 0 up, of at most 64 bits');
}

/** A decimal number as text. */
export function writeDecimal(column: string, value: string): Cell {
  return typeof value === 'string' && decimalText.test(value)
    ? value
    : refuse(column, value, 'a decimal number as text');
}

/** A floating-point number. */
export function writeFloat(column: string, value: number): Cell {
  return typeof value === 'number' ? value : refuse(column, value, 'a number');
}

/** Text: strings of any type, uuid, date and time of day. */
export function writeText(column: string, value: string): Cell {
  if (typeof value !== 'string') return refuse(column, value, 'a string');
  // Half a character has no encoding: a server would get something else in its place.
  return loneSurrogate.test(value) ? refuse(column, value, 'well-formed text') : value;
}

const loneSurrogate = /\p{Surrogate}/u;

/** JSON, as its text. `null` is written as JSON's own null. */
export function writeJson(column: string, value: unknown): Cell {
  let text: string | undefined;
  try {
    // Typed as if it always answered a string; for `undefined` and functions it does not.
    text = (JSON.stringify as (value: unknown) => string | undefined)(value);
  } catch (cause) {
    throw new EncodeError(
      column,
      `Column "${column}" was given a value that JSON cannot hold: ${messageOf(cause)}.`,
      { cause },
    );
  }
  return text ?? refuse(column, value, 'a value that JSON can hold');
}

/** Bytes. */
export function writeBytes(column: string, value: Uint8Array): Cell {
  return value instanceof Uint8Array ? value : refuse(column, value, 'a Uint8Array');
}

/** A boolean. */
export function writeBoolean(column: string, value: boolean): Cell {
  return typeof value === 'boolean' ? (value ? 1n : 0n) : refuse(column, value, 'a boolean');
}

/** An instant, as ISO 8601 text in UTC. */
export function writeInstant(column: string, value: Date): Cell {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) {
    return refuse(column, value, 'a valid Date');
  }
  const text = value.toISOString();
  // Beyond these years the text has a sign and six digits, which the databases read differently.
  return text.length === 24 && text >= '0001'
    ? text
    : refuse(column, value, 'a Date between the years 1 and 9999');
}

/** A column whose type is not known: the value as the driver takes it. */
export function writeUnknown(column: string, value: unknown): Cell {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'boolean':
      return value ? 1n : 0n;
    default:
      return value === null || value instanceof Uint8Array
        ? value
        : refuse(column, value, 'a string, number, bigint, boolean, null or Uint8Array');
  }
}

/**
 * A column that may be NULL or be left to its default: `undefined` and `null` are NULL, but a JSON
 * column that is given `null` holds JSON's own null.
 */
export function writeNullable<Value>(
  write: Writer<Value>,
  column: string,
  value: Value | null | undefined,
): Cell {
  if (value === undefined) return null;
  if (value === null) return (write as unknown) === writeJson ? 'null' : null;
  return write(column, value);
}

/** Whether a column with a default was given a value: `1n`, else `0n`. */
export function writeGiven(value: unknown): Cell {
  return value === undefined ? 0n : 1n;
}

const decimalText = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|NaN|[+-]?Infinity)$/i;

function refuse(column: string, value: unknown, wanted: string): never {
  throw new EncodeError(column, `Column "${column}" was given ${show(value)}: it takes ${wanted}.`);
}
