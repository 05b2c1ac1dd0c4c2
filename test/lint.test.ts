import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { ESLint } from 'eslint';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const eslint = new ESLint({
  cwd: root,
  // On CI the parser would take each file's text from the disk, not from here.
  overrideConfig: {
    languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } },
  },
});
const folder = mkdtempSync(path.join(tmpdir(), 'inbox-lint-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The rules that a text breaks where it stands in a file; types need the file to exist. */
async function broken(file: string, text: string): Promise<readonly string[]> {
  const [result] = await eslint.lintText(text, { filePath: path.join(root, file) });
  return (result?.messages ?? []).map(
    (message) => `${message.ruleId ?? 'parser'}: ${message.message}`,
  );
}

/** Some source file of a layer: the layer's own file, or the first one in its folder. */
function fileOf(source: string, layer: string): string {
  const names = readdirSync(path.join(root, source, layer.includes('/') ? layer : '.'));
  if (names.includes(`${layer}.ts`)) {
    return `${source}/${layer}.ts`;
  }
  const inside = layer.includes('/') ? names : readdirSync(path.join(root, source, layer));
  const first = inside.filter((name) => name.endsWith('.ts')).sort()[0];
  expect(first, `a file in ${source}/${layer}`).toBeDefined();
  return `${source}/${layer}/${String(first)}`;
}

const codegen = (layer: string): string => fileOf('packages/codegen/src', layer);
const runtime = (layer: string): string => fileOf('packages/runtime/src', layer);

describe('the order of imports in the generator', () => {
  it.each([
    ['generate', './cli/plan.js', 'cli'],
    ['emit', '../generate.js', 'generate'],
    ['dialects', '../emit/module.js', 'emit'],
    ['dialects/postgres', '../../emit/module.js', 'emit'],
    ['queue', '../dialects/index.js', 'dialects'],
    ['table', '../queue/queue.js', 'queue'],
    ['source', '../table/table.js', 'table'],
  ])('%s may not import %s', async (layer, specifier, target) => {
    const messages = await broken(codegen(layer), `export * from '${specifier}';\n`);
    expect(messages.join('\n')).toContain(`may not import from "${target}"`);
  });

  it.each([
    ['source', "type T = import('../table/table.js').Table;\nexport type U = T;\n"],
    ['source', "export const lazy = (): Promise<unknown> => import('../table/table.js');\n"],
    ['source', "export type { Table } from '../table/table.js';\n"],
    ['source', "import type { Table } from '../table/table.js';\nexport type T = Table;\n"],
  ])('holds for every kind of import: %s, %s', async (layer, text) => {
    expect((await broken(codegen(layer), text)).join('\n')).toContain(
      'may not import from "table"',
    );
  });

  it('goes to the right', async () => {
    const text =
      "export type * from '../table/table.js';\nexport type * from '../source/source.js';\n";
    expect(await broken(codegen('queue'), text)).toEqual([]);
  });

  it.each([
    ['queue', 'pgsql-ast-parser', 'dialects'],
    ['cli', 'node-sql-parser/build/sqlite.js', 'dialects'],
    ['dialects', 'ts-morph', 'emit'],
    ['emit', 'node:fs', 'cli'],
    ['generate', 'node:fs/promises', 'cli'],
  ])('%s may not import %s', async (layer, specifier, owner) => {
    const text = `export const lazy = (): Promise<unknown> => import('${specifier}');\n`;
    expect((await broken(codegen(layer), text)).join('\n')).toContain(`Only "${owner}/"`);
  });

  it('every file stands in a layer', async () => {
    const messages = await eslint.lintText('export const a = 1;\n', {
      filePath: path.join(root, 'packages/codegen/src/helpers/a.js'),
    });
    expect(messages[0]?.messages.map(({ message }) => message).join('\n')).toContain('is no layer');
  });
});

describe('the order of imports in the runtime', () => {
  it.each([
    ['duration', './statement.js', 'statement'],
    ['errors', '../spec.js', 'spec'],
    ['spec', './worker/worker.js', 'worker'],
    ['drivers', '../forms/lease.js', 'forms'],
    ['forms', '../worker/worker.js', 'worker'],
    ['worker', '../v1.js', 'v1'],
  ])('%s may not import %s', async (layer, specifier, target) => {
    const messages = await broken(runtime(layer), `export * from '${specifier}';\n`);
    expect(messages.join('\n')).toContain(`may not import from "${target}"`);
  });

  it('drivers do not import each other', async () => {
    const text = "export * from '../better-sqlite3/index.js';\n";
    expect((await broken(runtime('drivers/pg'), text)).join('\n')).toContain(
      'do not import each other',
    );
  });

  it('has no dependency, not even on types', async () => {
    const text = "import type { Pool } from 'pg';\nexport type P = Pool;\n";
    expect((await broken(runtime('drivers/pg'), text)).join('\n')).toContain('has no dependencies');
  });
});

describe('the rules of the house', () => {
  it.each([
    ['@typescript-eslint/no-explicit-any', 'export const a: any = 1;\n'],
    [
      '@typescript-eslint/no-floating-promises',
      'export function a(): void {\n  Promise.resolve(1);\n}\n',
    ],
    [
      '@typescript-eslint/no-non-null-assertion',
      'export const a = (b: string | undefined): string => b!;\n',
    ],
    [
      '@typescript-eslint/consistent-type-imports',
      "import { Cell } from './statement.js';\nexport type C = Cell;\n",
    ],
    ['import-x/no-default-export', 'export default 1;\n'],
    ['@typescript-eslint/ban-ts-comment', '// @ts-ignore\nexport const a: number = 1;\n'],
  ])('%s', async (rule, text) => {
    expect((await broken('packages/runtime/src/spec.ts', text)).join('\n')).toContain(`${rule}:`);
  });

  it('import-x/no-cycle', async () => {
    writeFileSync(
      path.join(folder, 'a.mjs'),
      "import { b } from './b.mjs';\nexport const a = () => b();\n",
    );
    writeFileSync(
      path.join(folder, 'b.mjs'),
      "import { a } from './a.mjs';\nexport const b = () => a();\n",
    );
    const elsewhere = new ESLint({
      cwd: folder,
      overrideConfigFile: path.join(root, 'eslint.config.js'),
    });
    const [result] = await elsewhere.lintFiles(['a.mjs']);
    expect(result?.messages.map(({ ruleId }) => ruleId)).toEqual(['import-x/no-cycle']);
  });

  it('apply to scripts, which are JavaScript', async () => {
    expect((await broken('scripts/run.mjs', 'let a = 1 == 2;\n')).join('\n')).toMatch(
      /eqeqeq:.*|no-unused-vars:.*/,
    );
  });
});
