// Copies the builds of node-sql-parser that inbox-gen uses into the package, with their licence: the
// whole package weighs 89 MB, these less than one. Run at build time; the copies are not in the
// repository.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const parser = dirname(require.resolve('node-sql-parser/package.json'));
const target = join(dirname(fileURLToPath(import.meta.url)), '../vendor/node-sql-parser');

await mkdir(target, { recursive: true });
for (const build of ['mysql', 'mariadb', 'sqlite']) {
  await copyFile(join(parser, `build/${build}.js`), join(target, `${build}.cjs`));
}
await copyFile(join(parser, 'LICENSE'), join(target, 'LICENSE'));
