import { expect, test } from 'vitest';
import { didYouMean } from '../../src/source/did-you-mean.js';

test.each([
  ['leese', 'lease'],
  ['laese', 'lease'],
  ['LEASE', 'lease'],
  ['lock', undefined],
  ['advisori', 'advisory'],
  ['zebra', undefined],
  ['', undefined],
])('%j means %j', (word, meant) => {
  expect(didYouMean(word, ['row-lock', 'lease', 'advisory'])).toBe(meant);
});
