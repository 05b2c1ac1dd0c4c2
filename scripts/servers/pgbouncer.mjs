// @ts-check
import { spawnSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import pg from 'pg';

import { distribution } from './debian-packages.mjs';
import { installation } from './installation.mjs';

/** @import { Account, Prepared, Recipe } from './recipe.mjs' */

/** The environment variable that tells the supervisor which database PgBouncer stands before. */
export const targetVariable = 'INBOX_PGBOUNCER_TARGET';

/**
 * PgBouncer, a pooler before PostgreSQL: that of the PATH, else the distribution's own package,
 * unpacked into the project's cache. It listens on 127.0.0.1 alone, without a socket file, and asks
 * for the same password as the server behind it.
 *
 * @type {Recipe}
 */
export const recipe = {
  name: 'PgBouncer',
  variable: targetVariable,
  prepare,
  probe,
  help,
  stopSignals: ['SIGINT', 'SIGTERM', 'SIGKILL'],
};

/**
 * @param {string} folder
 * @param {Account | null} account
 * @returns {Promise<Prepared>}
 */
async function prepare(folder, account) {
  const target = process.env[targetVariable];
  if (target === undefined) {
    throw new Error(`${targetVariable} is not set`);
  }
  const { id, codename } = distribution();
  const { program, before } = await installation(
    'pgbouncer',
    (found) => spawnSync(found, ['--version'], { encoding: 'utf8' }).status === 0,
    `pgbouncer-${codename}`,
    [
      {
        name: 'pgbouncer',
        suite: codename,
        sections: id === 'ubuntu' ? 'main universe' : 'main',
      },
    ],
    folder,
    account,
  );
  const { user, password, host, port, database } = new pg.Client({ connectionString: target });
  const login = typeof password === 'string' ? password : '';

  /** @param {string} name @param {string} text */
  const write = (name, text) => {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (account !== null) chownSync(file, account.uid, account.gid);
    return file;
  };
  /** @param {string | undefined} word */
  const quoted = (word) => `"${(word ?? '').replaceAll('"', '""')}"`;
  const users = write('users.txt', `${quoted(user)} ${quoted(login)}\n`);
  const behind = `host=${host} port=${String(port)} dbname=${database ?? ''}`;

  return {
    program,
    // The port stands in the file: PgBouncer takes no setting from its command line.
    args: (listenPort) => [
      ...before,
      '-q',
      write(
        'pgbouncer.ini',
        [
          '[databases]',
          `session = ${behind} pool_mode=session`,
          `transaction = ${behind} pool_mode=transaction`,
          '[pgbouncer]',
          'listen_addr = 127.0.0.1',
          `listen_port = ${String(listenPort)}`,
          'unix_socket_dir =',
          `auth_type = ${login === '' ? 'trust' : 'scram-sha-256'}`,
          `auth_file = ${users}`,
          `admin_users = ${user ?? ''}`,
          'default_pool_size = 20',
          'ignore_startup_parameters = extra_float_digits',
          '',
        ].join('\n'),
      ),
    ],
    url: (listenPort) => {
      const url = new URL(target);
      url.host = `127.0.0.1:${String(listenPort)}`;
      url.pathname = '/session';
      return url.href;
    },
  };
}

/**
 * @param {string} url
 * @returns {Promise<string>}
 */
async function probe(url) {
  // The server behind it must answer, too.
  await ask(url, 'SELECT 1');
  const console = new URL(url);
  console.pathname = '/pgbouncer';
  const answer = await ask(console.href, 'SHOW VERSION');
  return /\d+\.\d+(?:\.\d+)?/.exec(JSON.stringify(answer))?.[0] ?? '';
}

/**
 * @param {string} url
 * @param {string} text
 * @returns {Promise<readonly unknown[]>}
 */
async function ask(url, text) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    /** @type {pg.QueryResult<Record<string, unknown>>} */
    const answer = await client.query(text);
    return answer.rows;
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
    `PgBouncer is needed and could not be started: ${reason}`,
    'Do one of these:',
    '  - install it, so that "pgbouncer" is in the PATH (apt-get install pgbouncer);',
    '  - or run on Debian or Ubuntu with its package sources reachable: the package is then',
    '    unpacked into .cache/servers, and nothing is installed.',
  ].join('\n');
}
