import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { describe, expect, test } from 'vitest';
import { runtimeErrorCodes } from '../../runtime/src/errors/codes.js';
import { exitCodeTable, flagTable } from '../src/cli/help.js';
import { generate } from '../src/generate.js';
import { annotationWords } from '../src/source/annotation-words.js';
import { diagnosticCodes } from '../src/source/diagnostic.js';

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));
const docs = (name: string): string => readFileSync(pathOf(name), 'utf8');

describe('docs/errors.md', () => {
  const sections = docs('errors.md').split(/^### /m).slice(1);
  const codes = sections.map((section) => section.split('\n')[0] ?? '');

  test('has a heading for every code, in the order of the lists', () => {
    expect(codes).toEqual([...diagnosticCodes, ...runtimeErrorCodes]);
  });

  const examples = sections.flatMap((section) => {
    const schemas = [...section.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = '']) => sql);
    const [code = ''] = section.split('\n');
    const isOurs = diagnosticCodes.some((known) => known === code);
    return isOurs && schemas.length > 0 ? [[code, schemas] as const] : [];
  });

  test.each(examples)('shows an example of %s', async (code, schemas) => {
    const sources = schemas.map((text, index) => ({ path: `${index}.sql`, text }));
    const { diagnostics } = await generate(sources);
    const found = diagnostics.filter(({ severity }) => severity !== 'note');
    expect(found.map((diagnostic) => diagnostic.code)).toEqual([code]);
  });

  test('has an example for all that a schema can have wrong', () => {
    const others = diagnosticCodes.filter((code) => !examples.some(([shown]) => shown === code));
    expect(others).toEqual([
      'second-opinion',
      'second-opinion-unavailable',
      'input-unreadable',
      'output-foreign',
      'output-unwritable',
      'check-drift',
      'usage',
      'internal',
    ]);
  });
});

test('docs/annotations.md tells of every annotation', () => {
  const text = docs('annotations.md');
  const untold = annotationWords.filter(
    ({ word, built }) => !text.includes(built ? `| \`@${word}` : `\`@${word}\``),
  );
  expect(untold).toEqual([]);
});

test('docs/cli.md has the flags and exit codes of the program', async () => {
  const text = docs('cli.md');
  const filled = [
    ['flags', flagTable()],
    ['exit codes', exitCodeTable()],
  ].reduce((whole, [name = '', table = '']) => {
    const place = new RegExp(`(<!-- ${name} -->\n).*?(<!-- /${name} -->)`, 's');
    return whole.replace(place, (_, open: string, close: string) => `${open}\n${table}\n${close}`);
  }, text);
  const wanted = await format(filled, { parser: 'markdown', printWidth: 100 });
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(pathOf('cli.md'), wanted);
  expect(docs('cli.md')).toBe(wanted);
});
