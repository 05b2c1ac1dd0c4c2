import { describe, expect, it } from 'vitest';

import { DecodeError } from '../../src/index.js';
import {
  readBigint,
  readBoolean,
  readBytes,
  readDecimal,
  readFloat,
  readInstant,
  readInteger,
  readJson,
  readNullable,
  readText,
  readUnknown,
  type Cell,
  type Reader,
} from '../../src/v1.js';

const bytes = Uint8Array.of(0, 1, 254, 255);

const reads: readonly [string, Reader<unknown>, Cell, unknown][] = [
  ['integer text', readInteger, '-12', -12],
  ['a bigint', readInteger, 12n, 12],
  ['the largest safe integer', readInteger, '9007199254740991', 9_007_199_254_740_991],
  ['64 bits of text', readBigint, '9007199254740993', 9_007_199_254_740_993n],
  ['64 bits', readBigint, 9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ['a whole REAL', readBigint, 5, 5n],
  ['decimal text', readDecimal, '0.10000000000000000001', '0.10000000000000000001'],
  ['a REAL as decimal', readDecimal, 0.5, '0.5'],
  ['float text', readFloat, '1e-7', 1e-7],
  ['NaN', readFloat, 'NaN', Number.NaN],
  ['an infinity', readFloat, '-Infinity', -Infinity],
  ['a stored integer as float', readFloat, 3n, 3],
  ['text', readText, '', ''],
  ['a number as text', readText, 7n, '7'],
  ['JSON null', readJson, 'null', null],
  ['JSON text', readJson, '"x"', 'x'],
  ['a JSON list', readJson, '[]', []],
  ['a JSON number of SQLite', readJson, 0n, 0],
  ['bytes', readBytes, Buffer.from(bytes), bytes],
  ['hexadecimal text', readBytes, '0001feff', bytes],
  ['hexadecimal text of Postgres', readBytes, '\\x0001FEff', bytes],
  ['no bytes', readBytes, '', new Uint8Array()],
  ['true of Postgres', readBoolean, 'true', true],
  ['false of SQLite', readBoolean, 0n, false],
  ['a short boolean', readBoolean, 't', true],
  ['an instant', readInstant, '2026-11-30T21:01:10.316913Z', new Date('2026-11-30T21:01:10.316Z')],
  ['an instant with a blank', readInstant, '2026-11-30 21:01:10', new Date('2026-11-30T21:01:10Z')],
  [
    'an instant in a zone',
    readInstant,
    '2026-11-30T21:01:10+05:30',
    new Date('2026-11-30T15:31:10Z'),
  ],
  ['milliseconds since the epoch', readInstant, 1_764_500_000_123n, new Date(1_764_500_000_123)],
  ['a leap day', readInstant, '2024-02-29T00:00:00Z', new Date('2024-02-29T00:00:00Z')],
  ['the year 99', readInstant, '0099-01-02T00:00:00Z', new Date('0099-01-02T00:00:00Z')],
  ['anything', readUnknown, '(1,2)', '(1,2)'],
];

const refuses: readonly [string, Reader<unknown>, Cell | undefined][] = [
  ['NULL', readText, null],
  ['a missing cell', readText, undefined],
  ['an integer that a number cannot hold', readInteger, '9007199254740993'],
  ['a fraction as integer', readInteger, '1.5'],
  ['blank text as integer', readInteger, ''],
  ['words as bigint', readBigint, 'many'],
  ['blank text as float', readFloat, ' '],
  ['empty text as decimal', readDecimal, ''],
  ['bytes as text', readText, bytes],
  ['words as JSON', readJson, 'not JSON'],
  ['odd hexadecimal text', readBytes, '\\x123'],
  ['words as boolean', readBoolean, 'yes'],
  ['infinity as instant', readInstant, 'infinity'],
  ['a day that is none', readInstant, '2026-02-30T00:00:00Z'],
  ['NULL of an unknown type', readUnknown, null],
];

describe('readers', () => {
  it.each(reads)('read %s', (_, read, cell, value) => {
    expect(read('c', cell)).toStrictEqual(value);
  });

  it.each(refuses)('refuse %s and name the column', (_, read, cell) => {
    expect(() => read('the column', cell)).toThrow(DecodeError);
    expect(() => read('the column', cell)).toThrow(/the column/);
  });

  it('take NULL only where it may be', () => {
    expect(readNullable(readJson, 'c', null)).toBeNull();
    expect(readNullable(readInteger, 'c', '3')).toBe(3);
    expect(() => readNullable(readInteger, 'c', undefined)).toThrow(DecodeError);
  });

  it('give plain bytes, whatever the driver calls them', () => {
    const read = readBytes('c', Buffer.from(bytes));
    expect(Object.getPrototypeOf(read)).toBe(Uint8Array.prototype);
  });
});
