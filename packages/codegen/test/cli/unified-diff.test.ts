import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../src/cli/unified-diff.js';

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

describe('a unified diff', () => {
  test('of equal texts is empty', () => {
    expect(unifiedDiff('a', 'x\n', 'x\n')).toBe('');
  });

  test('shows a change with three lines around it', () => {
    const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9');
    expect(unifiedDiff('a.ts', before, before.replace('5', 'five'))).toBe(
      lines(
        '--- a.ts',
        '+++ a.ts',
        '@@ -2,7 +2,7 @@',
        ' 2',
        ' 3',
        ' 4',
        '-5',
        '+five',
        ' 6',
        ' 7',
        ' 8',
      ),
    );
  });

  test('has a hunk for each change that stands apart', () => {
    const before = lines(...Array.from({ length: 20 }, (_, index) => `line ${index}`));
    const after = before.replace('line 2\n', '').replace('line 15\n', 'line 15\nmore\n');
    expect(unifiedDiff('a.ts', before, after).match(/^@@.*$/gm)).toEqual([
      '@@ -1,6 +1,5 @@',
      '@@ -14,6 +13,7 @@',
    ]);
  });

  test('of a file that is created or removed names no file', () => {
    expect(unifiedDiff('a.ts', undefined, 'x\n')).toBe(
      lines('--- /dev/null', '+++ a.ts', '@@ -0,0 +1,1 @@', '+x'),
    );
    expect(unifiedDiff('a.ts', 'x\n', undefined)).toBe(
      lines('--- a.ts', '+++ /dev/null', '@@ -1,1 +0,0 @@', '-x'),
    );
  });

  test('says where the last line is not ended', () => {
    expect(unifiedDiff('a.ts', 'x', 'x\n')).toBe(
      lines('--- a.ts', '+++ a.ts', '@@ -1,1 +1,1 @@', '-x', '\\ No newline at end of file', '+x'),
    );
  });

  test('is the shortest one', () => {
    const diff = unifiedDiff('a', lines(...'abcabba'.split('')), lines(...'cbabac'.split('')));
    expect(diff.split('\n').filter((line) => /^[-+][a-c]$/.test(line))).toHaveLength(5);
  });
});
