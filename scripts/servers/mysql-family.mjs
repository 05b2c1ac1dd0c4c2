// @ts-check
import { spawnSync } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import mysql from 'mysql2/promise';

/** @import { Installation } from './installation.mjs' */
/** @import { Account } from './recipe.mjs' */

/** The user that the tests connect as, with every right, over TCP alone. */
export const user = 'inbox';

/**
 * @param {string} program
 * @returns {string} What `--version` says; empty where it cannot be run.
 */
export function versionOf(program) {
  const answer = spawnSync(program, ['--no-defaults', '--version'], { encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout : '';
}

/**
 * A folder that is the account's alone: for the data, or for what the server keeps for a moment,
 * since the system's temporary folder may be closed to the account.
 *
 * @param {string} folder
 * @param {'data' | 'tmp'} name
 * @param {Account | null} account
 * @returns {Promise<string>}
 */
export async function ownFolder(folder, name, account) {
  const made = path.join(folder, name);
  await mkdir(made, { mode: 0o700 });
  if (account !== null) await chown(made, account.uid, account.gid);
  return made;
}

/**
 * The statements that the server runs when it starts: a user with a password that exists only for
 * this run, since anybody on the machine can reach the port.
 *
 * @param {string} folder
 * @param {Account | null} account
 * @param {readonly string[]} statements
 * @returns {Promise<string>} The file.
 */
export async function initFile(folder, account, statements) {
  const file = path.join(folder, 'init.sql');
  await writeFile(file, statements.map((statement) => `${statement};\n`).join(''), { mode: 0o600 });
  if (account !== null) await chown(file, account.uid, account.gid);
  return file;
}

/**
 * Runs the server's program once, to make its data.
 *
 * @param {Installation} server
 * @param {readonly string[]} args
 * @param {Account | null} account
 * @param {string} folder
 * @param {string} [input]
 */
export function runOnce(server, args, account, folder, input = '') {
  const done = spawnSync(server.program, [...server.before, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'ignore', 'pipe'],
    ...account,
  });
  if (done.status !== 0) {
    throw new Error(`making its data failed: ${done.error?.message ?? done.stderr.trim()}`);
  }
}

/**
 * Connects once and answers what the server calls itself.
 *
 * @param {string} url
 * @returns {Promise<string>}
 */
export async function probeVersion(url) {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 5_000 });
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    const [row] = /** @type {{ version: string }[]} */ (rows);
    return row?.version ?? '';
  } finally {
    await connection.end();
  }
}
