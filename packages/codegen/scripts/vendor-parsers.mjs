// Copies the one build of node-sql-parser that inbox-gen uses into the package, with its licence:
// the whole package weighs 89 MB, this build a quarter of one. Run at build time; the copy is not
// in the repository.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const parser = dirname(require.resolve('node-sql-parser/package.json'));
const target = join(dirname(fileURLToPath(import.meta.url)), '../vendor/node-sql-parser');

await mkdir(target, { recursive: true });
await copyFile(join(parser, 'build/sqlite.js'), join(target, 'sqlite.cjs'));
await copyFile(join(parser, 'LICENSE'), join(target, 'LICENSE'));
