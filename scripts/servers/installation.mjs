// @ts-check
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';

import { canRead } from './account.mjs';
import { unpackPackages, withOwnLoader } from './debian-packages.mjs';

/** @import { Wanted } from './debian-packages.mjs' */
/** @import { Account } from './recipe.mjs' */

/**
 * How to run a server: its program, what its own loader needs before its arguments, and the folder
 * that stands for `/usr` in its settings.
 *
 * @typedef {object} Installation
 * @property {string} program
 * @property {readonly string[]} before
 * @property {string} base
 */

/**
 * A server of the PATH, else one unpacked from the distribution's packages, usable for the account.
 *
 * @param {string} name The program: `mysqld`, `mariadbd` or `pgbouncer`.
 * @param {(installed: string) => boolean} fits Whether a program of the PATH is the right server.
 * @param {string} key
 * @param {readonly Wanted[]} wanted
 * @param {string} folder The run's own folder.
 * @param {Account | null} account
 * @returns {Promise<Installation>}
 */
export async function installation(name, fits, key, wanted, folder, account) {
  for (const directory of [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/sbin',
    '/usr/local/sbin',
  ]) {
    const program = path.join(directory, name);
    if (existsSync(program) && fits(program) && canRead(account, [program])) {
      return { program, before: [], base: path.dirname(path.dirname(program)) };
    }
  }
  let unpacked = await unpackPackages(key, wanted);
  if (!canRead(account, [path.join(unpacked, 'usr/sbin', name)])) {
    const copy = path.join(folder, 'server');
    cpSync(unpacked, copy, { recursive: true, verbatimSymlinks: true });
    unpacked = copy;
  }
  const { program, args } = withOwnLoader(unpacked, `usr/sbin/${name}`);
  return { program, before: args, base: path.join(unpacked, 'usr') };
}
