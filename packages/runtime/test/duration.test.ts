import { describe, expect, it } from 'vitest';

import { durationLimit, parseDuration } from '../src/duration.js';
import { requireCount, requireMilliseconds } from '../src/errors/options.js';

describe('durations', () => {
  it.each([
    [0, 0],
    [1.2, 2],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['0.3s', 300],
    [Infinity, Infinity],
  ])('%j is %d ms', (value, milliseconds) => {
    expect(parseDuration(value)).toBe(milliseconds);
  });

  it.each(['', '5', 's', '5 s', '-5s', '5d', '1e3s', -1, Number.NaN, null, undefined, {}])(
    '%j is none',
    (value) => {
      expect(parseDuration(value)).toBeUndefined();
    },
  );

  it('that are options name themselves when they are nonsense, and end somewhere', () => {
    expect(() => requireMilliseconds('lease', 'soon' as '1s', 1)).toThrow(/"lease" is 'soon'/);
    expect(() => requireMilliseconds('lease', 0, 1)).toThrow(/least/);
    expect(requireMilliseconds('after', Infinity, 0)).toBe(durationLimit);
    expect(() => requireCount('limit', 0)).toThrow(/"limit" is 0/);
    expect(requireCount('limit', 3)).toBe(3);
  });
});
