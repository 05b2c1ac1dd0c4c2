import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../src/cli/args.js';
import { dialects } from '../../src/dialects/index.js';
import { dialectNames } from '../../src/table/dialect-names.js';

const write = {
  files: ['a.sql'],
  out: 'gen',
  dialects: [],
  importExtension: 'js',
  mode: 'write',
  quiet: false,
};

describe('the command line', () => {
  test.each([
    [['a.sql', '-o', 'gen'], {}],
    [['-ogen', 'a.sql'], {}],
    [['--out=gen', 'a.sql'], {}],
    [['a.sql', '-', '-o', 'gen'], { files: ['a.sql', '-'] }],
    [['-o', 'gen', '--', '--odd.sql'], { files: ['--odd.sql'] }],
    [['a.sql', '-o', 'gen', '--check', '--quiet'], { mode: 'check', quiet: true }],
    [['a.sql', '-o', 'gen', '--import-extension', 'none'], { importExtension: 'none' }],
    [['a.sql', '-o', 'gen', '--dialect', 'sqlite,postgres'], { dialects: ['postgres', 'sqlite'] }],
    [
      ['a.sql', '-o', 'gen', '--dialect', 'sqlite', '--dialect', 'postgres'],
      { dialects: ['postgres', 'sqlite'] },
    ],
  ])('%j is understood', (args, expected) => {
    expect(parseCommand(args)).toEqual({ kind: 'generate', request: { ...write, ...expected } });
  });

  test('needs no folder to print', () => {
    expect(parseCommand(['a.sql', '--print'])).toMatchObject({ request: { mode: 'print' } });
  });

  test.each([[['--help']], [['-h']], [['a.sql', '-h']]])('%j is for help', (args) => {
    expect(parseCommand(args)).toEqual({ kind: 'help' });
  });

  test.each([
    [[], 'no schema file is given', 'write `inbox-gen schema.sql -o src/generated`'],
    [['a.sql'], 'no output folder is given', undefined],
    [['a.sql', '-o'], '-o needs a value', 'write `-o DIR`'],
    [['a.sql', '-o', '--check'], '-o needs a value', undefined],
    [['a.sql', '-o', 'x', '-o', 'y'], '--out is given twice', undefined],
    [['a.sql', '-o', 'x', '--chek'], 'there is no flag --chek', 'did you mean `--check`?'],
    [['a.sql', '-o', 'x', '-z'], 'there is no flag -z', 'see `inbox-gen --help`'],
    [['a.sql', '-o', 'x', '--check=1'], '--check takes no value', undefined],
    [
      ['a.sql', '-o', 'x', '--check', '--print'],
      '--check and --print are two different jobs',
      undefined,
    ],
    [['-', '-', '-o', 'x'], 'standard input can be read once', undefined],
    [
      ['a.sql', '-o', 'x', '--dialect', 'postgre'],
      'this version\'s --dialect does not take "postgre"',
      'did you mean `--dialect postgres`?',
    ],
    [
      ['a.sql', '-o', 'x', '--dialect', 'oracle'],
      'this version\'s --dialect does not take "oracle"',
      'it takes postgres, mysql, mariadb, sqlite',
    ],
    [
      ['a.sql', '-o', 'x', '--import-extension', 'mjs'],
      'this version\'s --import-extension does not take "mjs"',
      undefined,
    ],
  ])('%j is a mistake', (args, message, help) => {
    const command = parseCommand(args);
    expect(command).toMatchObject({ kind: 'mistake', message });
    if (help !== undefined) expect(command).toMatchObject({ help });
  });
});

test('--dialect takes every dialect', () => {
  expect(dialectNames).toEqual(dialects.map(({ name }) => name));
});
