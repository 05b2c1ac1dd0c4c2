import { describe, expect, test } from 'vitest';
import { codesOf, columns, resolvedLease } from '../support/resolving.js';
import {
  reportColumns,
  tableOf,
  types,
  type ColumnInput,
  type TableInput,
} from '../support/tables.js';

describe('the expiry column', () => {
  const storages: readonly (readonly [ColumnInput, TableInput['dialect'], object])[] = [
    [{ name: 'locked_until', type: types.bigint }, 'postgres', { kind: 'epoch', unit: 'ms' }],
    [
      { name: 'locked_until', type: types.bigint, annotations: ['@epoch us'] },
      'postgres',
      { kind: 'epoch', unit: 'us' },
    ],
    [
      { name: 'locked_until', type: types.integer, annotations: ['@epoch s'] },
      'postgres',
      { kind: 'epoch', unit: 's' },
    ],
    [
      { name: 'locked_until', type: { kind: 'instant', stored: 'plain', digits: 3 } },
      'postgres',
      { kind: 'plain', digits: 3 },
    ],
    [{ name: 'locked_until', type: types.text }, 'sqlite', { kind: 'text' }],
    [
      { name: 'locked_until', type: { kind: 'instant', stored: 'text', digits: 3 } },
      'sqlite',
      { kind: 'text' },
    ],
  ];
  test.each(storages)('%j on %s keeps %j', (column, dialect = 'postgres', storage) => {
    const { value, diagnostics } = resolvedLease(tableOf({ dialect, columns: columns(column) }));
    expect(diagnostics).toEqual([]);
    expect(value?.lockedUntil.storage).toEqual(storage);
  });

  const problems: readonly (readonly [string, ColumnInput])[] = [
    ['lease-column-not-null', { name: 'locked_until', nullable: false }],
    ['lease-column-type', { name: 'locked_until', type: types.text }],
    ['lease-column-type', { name: 'locked_until', type: { kind: 'boolean' } }],
    ['lease-column-type', { name: 'locked_until', type: types.integer }],
    [
      'lease-column-type',
      { name: 'locked_until', type: types.integer, annotations: ['@epoch ms'] },
    ],
    [
      'lease-column-type',
      { name: 'locked_until', type: types.smallint, annotations: ['@epoch s'] },
    ],
    ['lease-column-type', { name: 'locked_until', generated: 'computed' }],
    ['epoch-type', { name: 'locked_until', annotations: ['@epoch s'] }],
    ['epoch-type', { name: 'attempt', annotations: ['@epoch s'] }],
    [
      'annotation-argument',
      { name: 'locked_until', type: types.bigint, annotations: ['@epoch sec'] },
    ],
  ];
  test.each(problems)('%s: %j', (code, column) => {
    const { value, diagnostics } = resolvedLease(tableOf({ columns: columns(column) }));
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    expect(value).toBeUndefined();
  });

  test('of whole seconds is a warning, unless the table counts', () => {
    const whole: ColumnInput = {
      name: 'locked_until',
      type: { kind: 'instant', stored: 'zoned', digits: 0 },
    };
    expect(codesOf({ columns: columns(whole) })).toEqual([]);
    const uncounted = columns(whole, { name: 'attempt', annotations: ['@data'] });
    const { value, diagnostics } = resolvedLease(tableOf({ columns: uncounted }));
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['lease-precision', 'warning'],
    ]);
    expect(value).toBeDefined();
  });

  test('must be there', () => {
    const [id = { name: 'id' }] = reportColumns;
    expect(codesOf({ columns: [id] })).toEqual(['lease-column-missing']);
  });
});
