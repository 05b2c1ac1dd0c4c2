// @ts-check
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { leftovers, runMarker } from './leftovers.mjs';
import { root, runNode } from './run.mjs';

// npm test: everything that must hold, in one run. Every step runs, whatever became of those before
// it; the last line says how many tests passed and failed, a failed step counting as one.

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 */

const report = '.cache/vitest.json';

/** @type {readonly { name: string, check: () => Promise<number> }[]} */
const steps = [
  { name: 'build', check: () => runNode('scripts/build.mjs') },
  {
    name: 'format',
    check: () => runNode('node_modules/prettier/bin/prettier.cjs', ['--check', '.']),
  },
  {
    name: 'types of tests and scripts',
    check: () => runNode('node_modules/typescript/bin/tsc', ['--project', 'test']),
  },
  {
    name: 'lint',
    check: () => runNode('node_modules/eslint/bin/eslint.js', ['.', '--max-warnings', '0']),
  },
  { name: 'generated files', check: () => runNode('scripts/generate.mjs', ['--check']) },
  ...['packages/runtime', 'packages/codegen'].map((folder) => ({
    name: `publint ${folder}`,
    check: () => runNode('node_modules/publint/src/cli.js', ['run', folder, '--strict']),
  })),
];

/** @type {string[]} */
const problems = [];
for (const { name, check } of steps) {
  await timed(name, async () => ((await check()) === 0 ? [] : [`${name} failed`]));
}
/** @type {Tally} */
let tests = { passed: 0, failed: 0 };
await timed('tests', runTests);

if (problems.length > 0) {
  console.log(`\nFailed steps:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
}
const failed = tests.failed + problems.length;
console.log(`\n${String(tests.passed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * @param {string} name
 * @param {() => Promise<readonly string[]>} step Answers what went wrong.
 */
async function timed(name, step) {
  console.log(`\n── ${name}`);
  const start = performance.now();
  const found = await step();
  problems.push(...found);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`── ${name}: ${found.length === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
}

/**
 * The test files, on real servers, in a temporary folder of their own, which must be empty in the
 * end, as must be the list of the processes that they started.
 *
 * @returns {Promise<readonly string[]>}
 */
async function runTests() {
  const mark = randomUUID();
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-test-run-'));
  // The database server runs under another account when this runs as root.
  chmodSync(folder, 0o755);
  rmSync(path.join(root, report), { force: true });
  const code = await runNode(
    'node_modules/vitest/vitest.mjs',
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { [runMarker]: mark, TMPDIR: folder },
  );
  const found = [...readReport(code), ...(await remaining(mark, folder))];
  rmSync(folder, { recursive: true, force: true });
  return found;
}

/**
 * Reads the counts, and answers what no single test stands for.
 *
 * @param {number} code
 * @returns {readonly string[]}
 */
function readReport(code) {
  /** @type {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, testResults: { name: string, status: string, message: string, assertionResults: { status: string }[] }[] }} */
  let answer;
  try {
    answer = JSON.parse(readFileSync(path.join(root, report), 'utf8'));
  } catch {
    return [`the tests ended without a report (exit code ${String(code)})`];
  }
  tests = { passed: answer.numPassedTests, failed: answer.numFailedTests };
  const unloadable = answer.testResults
    .filter((file) => file.status === 'failed')
    .filter((file) => file.assertionResults.every((test) => test.status !== 'failed'))
    .map((file) => `${path.relative(root, file.name)}: ${file.message.split('\n')[0] ?? ''}`);
  const skipped = answer.numPendingTests + answer.numTodoTests;
  const others = [
    ...unloadable,
    ...(skipped > 0 ? [`${String(skipped)} tests were left out`] : []),
    ...(tests.passed === 0 ? ['no test passed'] : []),
  ];
  return code !== 0 && others.length === 0 && tests.failed === 0
    ? [`the tests ended with exit code ${String(code)}`]
    : others;
}

/**
 * @param {string} mark
 * @param {string} folder
 * @returns {Promise<readonly string[]>}
 */
async function remaining(mark, folder) {
  const end = Date.now() + 5_000;
  for (;;) {
    const found = leftovers(mark, folder);
    if (found.length === 0 || Date.now() > end) {
      return found.map((entry) => `left behind by the tests: ${entry}`);
    }
    await delay(100);
  }
}
