import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Every module of every golden case, in the order of their paths. */
function goldenModules(): readonly string[] {
  const cases = join(root, 'fixtures/cases');
  return readdirSync(cases, { recursive: true, encoding: 'utf8' })
    .filter((path) => /[\\/]expected[\\/][^\\/]+\.ts$/.test(path))
    .sort()
    .map((path) => join(cases, path));
}

/** The strict flags of the workspace, with the runtime's own source behind its name. */
function compilerOptions(): ts.CompilerOptions {
  const path = join(root, 'tsconfig.base.json');
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as {
    readonly config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return {
    ...options,
    noEmit: true,
    composite: false,
    allowImportingTsExtensions: true,
    paths: { 'inbox-runtime/v1': [join(root, 'packages/runtime/src/v1.ts')] },
  };
}

/** Without an extension behind a module's name only a bundler finds it. */
const forBundlers = /[\\/]import-extension-none[\\/]/;

test('every golden module compiles under every strict flag', { timeout: 120_000 }, () => {
  const modules = goldenModules().filter((path) => !forBundlers.test(path));
  expect(modules.length).toBeGreaterThan(50);
  expect(problemsOf(modules, compilerOptions())).toEqual([]);
});

test('modules without an extension compile as bundlers find them', { timeout: 120_000 }, () => {
  const modules = goldenModules().filter((path) => forBundlers.test(path));
  expect(modules).toHaveLength(2);
  const bundler: ts.CompilerOptions = {
    ...compilerOptions(),
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  expect(problemsOf(modules, bundler)).toEqual([]);
});

function problemsOf(modules: readonly string[], options: ts.CompilerOptions): readonly string[] {
  const program = ts.createProgram(modules, options);
  return ts
    .getPreEmitDiagnostics(program)
    .map((problem) => ts.formatDiagnostic(problem, host).trim());
}

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (file) => file,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};
