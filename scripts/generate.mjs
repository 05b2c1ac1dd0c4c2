// @ts-check
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { root, runNode } from './run.mjs';

// npm run generate [-- --check]: the generated modules that this repository holds itself, each from
// its own SQL through the real command line. With --check nothing is written and drift is an error.

/** @type {readonly { from: string, to: string }[]} */
const outputs = [
  { from: 'fixtures/suite', to: 'test/generated' },
  { from: 'fixtures/demo', to: 'examples/demo/generated' },
  { from: 'fixtures/bench', to: 'bench/generated' },
];

for (const { from, to } of outputs) {
  const files = readdirSync(path.join(root, from))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => path.join(from, name));
  console.log(`${from}/*.sql → ${to}`);
  const code = await runNode('packages/codegen/bin/inbox-gen.js', [
    ...files,
    '-o',
    to,
    ...process.argv.slice(2),
  ]);
  if (code !== 0) {
    process.exitCode = code;
  }
}
