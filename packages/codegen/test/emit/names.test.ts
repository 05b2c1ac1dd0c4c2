import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  docCode,
  docText,
  lineCommentText,
  localNames,
  propertyAccess,
  propertyKey,
  stringLiteral,
  templateLiteral,
} from '../../src/emit/names.js';

const hostile = [
  "it's",
  '`',
  '${process.exit()}',
  '$${x}',
  '\\',
  '\\`',
  '\\${',
  'a\r\nb\rc\n',
  '\u2028\u2029\ufeff',
  '\u0000\u001b[31m',
  '\ud800 alone',
  '*/ /* //',
  '</script>',
  'λ 😀',
  '__proto__',
];

describe('a literal means exactly its text', () => {
  test.each(hostile)('%j in quotes', (text) => {
    expect(runInNewContext(stringLiteral(text))).toBe(text);
  });

  test.each(hostile)('%j in a template', (text) => {
    expect(runInNewContext(templateLiteral(text))).toBe(text);
  });

  test('and SQL stays as it can be pasted', () => {
    const sql = 'SELECT $1, \'{}\'\nFROM "jobs"\nWHERE a = $2';
    expect(templateLiteral(sql)).toBe(`\`${sql}\``);
  });
});

describe('a property', () => {
  test.each(['constructor', '__proto__', 'a b', "'", '*/', '2fa', 'λ', 'class', ''])(
    '%j is an own one of the literal, and read back',
    (name) => {
      const object = `(() => { const row = { ${propertyKey(name)}: 7 };
        return [Object.hasOwn(row, ${stringLiteral(name)}), ${propertyAccess('row', name)}]; })()`;
      expect([...(runInNewContext(object) as Iterable<unknown>)]).toEqual([true, 7]);
    },
  );
});

test('local names are identifiers, each its own, none in use', () => {
  const names = localNames(
    ['id', 'readBigint', 'class', '*/', '2fa', 'await'],
    ['readBigint', 'id2'],
  );
  expect(names).toEqual(['id', 'readBigint2', 'class2', 'cell', 'cell2', 'await2']);
});

describe('a comment', () => {
  test.each([
    ['ends */ here', 'ends *\\/ here'],
    ['**/', '**\\/'],
    ['@deprecated', '\\@deprecated'],
    ['  @deprecated', '  \\@deprecated'],
    ['* @deprecated', '* \\@deprecated'],
    ['mail me@example.org', 'mail me@example.org'],
    ['{@link x}', '{\\@link x}'],
    ['a\u2028b\u0007', 'a b '],
  ])('%j cannot leave its block or be a tag', (text, safe) => {
    expect(docText(text)).toBe(safe);
  });

  test('holds code with backticks', () => {
    expect(docCode('id INTEGER')).toBe('`id INTEGER`');
    expect(docCode('`id` INTEGER')).toBe('`` `id` INTEGER ``');
    expect(docCode('a\n  b */')).toBe('`a b *\\/`');
  });

  test('of a line stays on its line', () => {
    expect(lineCommentText('a\nb\u2028c\rd')).toBe('a b c d');
  });
});
