import { describe, expect, it } from 'vitest';

import { chunksOf } from '../../../src/drivers/mysql2/chunks.js';
import type { Cell, ListStatement } from '../../../src/statement.js';

function statementOf(cells: number): ListStatement {
  return {
    text: () => '',
    values: [],
    each: Array.from({ length: cells }, (_, index) => `column${index + 1}` as const),
  };
}

function lengths(count: number, row: readonly Cell[], cells = row.length): readonly number[] {
  const rows = Array.from({ length: count }, () => row);
  const chunks = chunksOf(rows, statementOf(cells));
  expect(chunks.flat()).toHaveLength(count);
  return chunks.map((chunk) => chunk.length);
}

describe('the rows of one INSERT', () => {
  it('are of a few fixed numbers, the longest first', () => {
    expect(lengths(1, ['x'])).toEqual([1]);
    expect(lengths(512, ['x'])).toEqual([512]);
    expect(lengths(594, ['x'])).toEqual([512, 64, 8, 8, 1, 1]);
  });

  it('keep to what the protocol can number', () => {
    expect(lengths(600, ['x'], 200)).toEqual([...Array<number>(9).fill(64), 8, 8, 8]);
  });

  it('keep to what a small packet holds, and to one row where that is more', () => {
    expect(lengths(10, ['x'.repeat(300_000)])).toEqual(Array<number>(10).fill(1));
    expect(lengths(20, ['x'.repeat(100_000)])).toEqual([8, 8, 1, 1, 1, 1]);
    expect(lengths(2, [new Uint8Array(5_000_000)])).toEqual([1, 1]);
  });
});
