import { describe, expect, it } from 'vitest';

import { EncodeError } from '../../src/index.js';
import {
  writeBigint,
  writeBoolean,
  writeBytes,
  writeDecimal,
  writeFloat,
  writeGiven,
  writeInstant,
  writeInteger,
  writeJson,
  writeNullable,
  writeText,
  writeUnknown,
} from '../../src/v1.js';

const circle: { self?: unknown } = {};
circle.self = circle;

/** JavaScript can pass anything, whatever the types say. */
const anything = (value: unknown): never => value as never;

describe('writers', () => {
  it('write what fits', () => {
    expect(writeInteger('c', -5)).toBe(-5n);
    expect(writeBigint('c', 9_007_199_254_740_993n)).toBe(9_007_199_254_740_993n);
    expect(writeDecimal('c', '-0.10e5')).toBe('-0.10e5');
    expect(writeFloat('c', 0.1)).toBe(0.1);
    expect(writeText('c', '')).toBe('');
    expect(writeBytes('c', Uint8Array.of(1))).toEqual(Uint8Array.of(1));
    expect(writeBoolean('c', true)).toBe(1n);
    expect(writeInstant('c', new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect([[], 'x', null, 0, {}].map((value) => writeJson('c', value))).toEqual([
      '[]',
      '"x"',
      'null',
      '0',
      '{}',
    ]);
    expect(writeUnknown('c', 3)).toBe(3n);
    expect(writeGiven(undefined)).toBe(0n);
    expect(writeGiven(null)).toBe(1n);
  });

  it('tell a JSON null from no value', () => {
    expect(writeNullable(writeJson, 'c', null)).toBe('null');
    expect(writeNullable(writeJson, 'c', undefined)).toBeNull();
    expect(writeNullable(writeText, 'c', null)).toBeNull();
    expect(writeNullable(writeText, 'c', 'x')).toBe('x');
  });

  it.each<[string, () => unknown]>([
    ['a fraction', () => writeInteger('the column', 1.5)],
    ['an integer that a number cannot hold', () => writeInteger('the column', 2 ** 53)],
    ['a bigint of 65 bits', () => writeBigint('the column', 2n ** 63n)],
    ['a number as bigint', () => writeBigint('the column', anything(1))],
    ['words as decimal', () => writeDecimal('the column', 'much')],
    ['a number as text', () => writeText('the column', anything(1))],
    ['half a character', () => writeText('the column', 'x\ud83d')],
    ['text as bytes', () => writeBytes('the column', anything('ab'))],
    ['text as boolean', () => writeBoolean('the column', anything('true'))],
    ['no date', () => writeInstant('the column', new Date(Number.NaN))],
    ['the year 10000', () => writeInstant('the column', new Date('+010000-01-01T00:00:00Z'))],
    ['undefined as JSON', () => writeJson('the column', undefined)],
    ['a function as JSON', () => writeJson('the column', () => 1)],
    ['a bigint as JSON', () => writeJson('the column', { deep: [1n] })],
    ['a circle as JSON', () => writeJson('the column', circle)],
    ['an object of unknown type', () => writeUnknown('the column', {})],
  ])('refuse %s and name the column', (_, write) => {
    expect(write).toThrow(EncodeError);
    expect(write).toThrow(/the column/);
  });
});
