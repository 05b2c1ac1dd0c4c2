import { describe, expect, it } from 'vitest';

import { exponentialBackoff } from '../../src/index.js';
import { knownTimes } from '../../src/worker/known-times.js';

describe('known times', () => {
  it('answer the earliest, and how many have passed', () => {
    const known = knownTimes();
    expect(known.next()).toBe(Infinity);
    for (const at of [5, 3, 9, 3]) known.add(at);
    expect(known.pass(2)).toBe(0);
    expect(known.next()).toBe(3);
    expect(known.pass(3)).toBe(2);
    expect(known.next()).toBe(5);
    expect(known.pass(100)).toBe(2);
    expect(known.next()).toBe(Infinity);
  });

  it('keep the earliest thousand', () => {
    const known = knownTimes();
    for (let at = 5_000; at > 0; at -= 1) known.add(at);
    expect(known.next()).toBe(1);
    expect(known.pass(999)).toBe(999);
    expect(known.next()).toBe(1_000);
    expect(known.pass(1_000)).toBe(1);
    expect(known.next()).toBe(Infinity);
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
