import { describe, expect, it } from 'vitest';

import { budgetOf, connectionBudget } from '../../src/drivers/connection-budget.js';

describe('the connections that rows in work may hold', () => {
  it.each([
    [1, 1],
    [2, 1],
    [10, 9],
    [Infinity, Infinity],
  ])('of a pool of %d are %d', (poolSize, most) => {
    const budget = connectionBudget(poolSize);
    expect(budget.most).toBe(most);
    expect(budget.take(1)).toBe(1);
    expect(budget.take(50)).toBe(Math.min(most - 1, 50));
    expect(budget.take(Number.MAX_SAFE_INTEGER)).toBe(most === Infinity ? 2 ** 53 - 1 : 0);
    budget.giveBack(1);
    expect(budget.take(1)).toBe(1);
  });

  it('are told of once to each that waits, in the order in which they came', () => {
    const budget = connectionBudget(2);
    const told: string[] = [];
    expect(budget.take(1)).toBe(1);
    budget.whenFree(() => told.push('first'));
    const takeBack = budget.whenFree(() => told.push('gone'));
    budget.whenFree(() => {
      told.push('second');
      // Whoever comes too late waits again, and is not told in the same breath.
      if (budget.take(1) === 0) budget.whenFree(() => told.push('again'));
      budget.whenFree(() => told.push('later'));
    });
    takeBack();
    budget.giveBack(0);
    expect(told).toEqual([]);
    budget.giveBack(1);
    expect(told).toEqual(['first', 'second']);
    budget.giveBack(1);
    expect(told).toEqual(['first', 'second', 'later']);
  });

  it('are asked for up to the owner’s limit, and a worker that has left asks for none', () => {
    const budget = connectionBudget(10, 5);
    const leave = budget.enter(3);
    expect(budget.enter(3)).toBeUndefined();
    expect(budget.enter(2)).toBeTypeOf('function');
    expect(budget.entered).toBe(5);
    leave?.();
    leave?.();
    expect(budget.entered).toBe(2);
  });

  it('are those of the pool, for all that are opened over it', () => {
    const pool = {};
    const [one, other] = [budgetOf(pool, 4), budgetOf(pool, 4, 5)];
    expect(budgetOf({}, 4).take(4)).toBe(3);
    expect(one.take(2)).toBe(2);
    expect(other.take(2)).toBe(1);
    const told: string[] = [];
    other.whenFree(() => told.push('other'));
    one.giveBack(1);
    expect(told).toEqual(['other']);
    // A limit is that of its owner, and counts what all have asked for.
    one.enter(4);
    expect(other.enter(2)).toBeUndefined();
    expect(other.enter(1)).toBeTypeOf('function');
    expect(one.enter(9)).toBeTypeOf('function');
  });
});
