// @ts-check
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

import { layersRule } from './scripts/lint/layers.mjs';
import { codegenOrder, runtimeOrder } from './scripts/lint/orders.mjs';

const projects = ['packages/*/tsconfig.json', 'test/tsconfig.json'];
const plugins = { 'import-x': importX, house: { rules: { layers: layersRule } } };

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/vendor/',
    '**/generated/',
    'fixtures/',
    'demo-output/',
    '.cache/',
  ]),
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [js.configs.recommended],
    // Names that do not exist are the type checker's: it reads these files too.
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: projects, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // A name that begins with an underscore says that it is not used, as the compiler has it.
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
        },
      ],
      // `T | void` is how a callback's type says that it may return nothing.
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },
  {
    files: ['**/*.ts', '**/*.js', '**/*.mjs'],
    plugins,
    settings: {
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          alwaysTryTypes: true,
          project: projects,
          noWarnOnMultipleProjects: true,
        }),
      ],
    },
    rules: {
      eqeqeq: 'error',
      'import-x/no-cycle': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-self-import': 'error',
    },
  },
  {
    // The two tools read their configuration from a default export.
    files: ['eslint.config.js', 'vitest.config.ts'],
    rules: { 'import-x/no-default-export': 'off' },
  },
  {
    files: [`${codegenOrder.root}/**`],
    plugins,
    rules: { 'house/layers': ['error', codegenOrder] },
  },
  {
    files: [`${runtimeOrder.root}/**`],
    plugins,
    rules: { 'house/layers': ['error', runtimeOrder] },
  },
);
