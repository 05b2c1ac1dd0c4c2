import { describe, expect, it } from 'vitest';

import { exponentialBackoff } from '../../src/index.js';
import { knownTimes } from '../../src/worker/known-times.js';

describe('known times', () => {
  it('answer the earliest that has not passed', () => {
    const known = knownTimes();
    expect(known.next(0)).toBe(Infinity);
    for (const at of [5, 3, 9, 3]) known.add(at);
    expect(known.next(2)).toBe(3);
    expect(known.next(3)).toBe(5);
    expect(known.next(8)).toBe(9);
    expect(known.next(9)).toBe(Infinity);
  });

  it('keep the earliest thousand', () => {
    const known = knownTimes();
    for (let at = 5_000; at > 0; at -= 1) known.add(at);
    expect(known.next(0)).toBe(1);
    expect(known.next(999)).toBe(1_000);
    expect(known.next(1_000)).toBe(Infinity);
  });
});

describe('the default back-off', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [5, 8_000, 16_000],
    [40, 1_800_000, 3_600_000],
    [null, 2_000, 4_000],
  ])('after attempt %s waits between %d and %d ms', (attempt, least, most) => {
    for (let time = 0; time < 50; time += 1) {
      const wait = exponentialBackoff(attempt);
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(most);
    }
  });
});
