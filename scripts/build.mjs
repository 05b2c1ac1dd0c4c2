// @ts-check
import { spawnSync } from 'node:child_process';

import { root, run, runNode } from './run.mjs';

// npm run build: everything between `npm ci` and a working `inbox-gen` and `inbox-runtime`.

process.exitCode = await build();

/** @returns {Promise<number>} */
async function build() {
  for (const step of [sqliteBinding, vendorParsers, compile]) {
    const code = await step();
    if (code !== 0) {
      return code;
    }
  }
  return 0;
}

/**
 * better-sqlite3 is compiled by its install script. Where npm blocked that, it is done here, once.
 *
 * @returns {Promise<number>}
 */
async function sqliteBinding() {
  if (sqliteWorks()) {
    return 0;
  }
  console.log(
    'better-sqlite3 has no native binding for this Node (were install scripts blocked?): ' +
      'running "npm rebuild better-sqlite3", which may take a minute or two',
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await run(npm, ['rebuild', 'better-sqlite3', '--ignore-scripts=false']);
  if (sqliteWorks()) {
    return 0;
  }
  console.error(
    'better-sqlite3 still cannot be loaded. It needs a C++ compiler, make and Python 3: install ' +
      'those and run "npm rebuild better-sqlite3 --ignore-scripts=false".',
  );
  return 1;
}

/** @returns {boolean} */
function sqliteWorks() {
  // In a process of its own: a failed attempt to load a native module stays in the process.
  const open = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', open], { cwd: root, stdio: 'ignore' }).status === 0;
}

/** @returns {Promise<number>} */
function vendorParsers() {
  return runNode('packages/codegen/scripts/vendor-parsers.mjs');
}

/** @returns {Promise<number>} */
function compile() {
  return runNode('node_modules/typescript/bin/tsc', [
    '--build',
    'packages/runtime',
    'packages/codegen',
  ]);
}
