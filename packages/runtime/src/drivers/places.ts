import type { StatementValue } from '../statement.js';

/** What a fence looks like: how many key cells lead it, and whether a counted attempt ends it. */
export interface FenceShape {
  readonly keyWidth: number;
  readonly counted: boolean;
}

/** Where a statement's value stands in a fence; `undefined` where it is no part of one. */
export function placeInFence(value: StatementValue, shape: FenceShape): number | undefined {
  if (value === 'held') return heldPlace(shape);
  if (value === 'attempt') return shape.counted ? shape.keyWidth + 1 : undefined;
  if (!value.startsWith('key')) return undefined;
  const place = Number(value.slice('key'.length)) - 1;
  return place >= 0 && place < shape.keyWidth ? place : undefined;
}

/** Where the expiry stands in a fence: behind the key. */
export function heldPlace(shape: FenceShape): number {
  return shape.keyWidth;
}

/**
 * Where a statement's value stands in the cells of a held row, which have no expiry: key, counted
 * attempt. `undefined` where it is no part of them.
 */
export function placeInHold(value: StatementValue, shape: FenceShape): number | undefined {
  if (value === 'attempt') return shape.counted ? shape.keyWidth : undefined;
  return value === 'held' ? undefined : placeInFence(value, shape);
}

/** Which of a new row's cells a value names, counted from 0; `undefined` where it names none. */
export function columnIndex(value: StatementValue): number | undefined {
  return value.startsWith('column') ? Number(value.slice('column'.length)) - 1 : undefined;
}
