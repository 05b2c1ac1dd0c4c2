// @ts-check
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { distribution } from './debian-packages.mjs';
import { installation } from './installation.mjs';
import { initFile, ownFolder, probeVersion, runOnce, user, versionOf } from './mysql-family.mjs';

/** @import { Account, Prepared, Recipe } from './recipe.mjs' */

/**
 * MariaDB: `mariadbd` of the PATH, else the distribution's own package, unpacked into the project's
 * cache. It listens on 127.0.0.1 alone.
 *
 * @type {Recipe}
 */
export const recipe = {
  name: 'MariaDB',
  variable: 'MARIADB_URL',
  prepare,
  probe,
  help,
  stopSignals: ['SIGTERM', 'SIGKILL'],
};

/**
 * @param {string} folder
 * @param {Account | null} account
 * @returns {Promise<Prepared>}
 */
async function prepare(folder, account) {
  const { id, codename } = distribution();
  const server = await installation(
    'mariadbd',
    (program) => versionOf(program).includes('MariaDB'),
    `mariadb-${codename}`,
    [
      {
        name: 'mariadb-server-core',
        suite: codename,
        sections: id === 'ubuntu' ? 'main universe' : 'main',
      },
    ],
    folder,
    account,
  );
  const data = await ownFolder(folder, 'data', account);
  const temporary = await ownFolder(folder, 'tmp', account);
  const share = path.join(server.base, 'share/mysql');
  const settings = [
    '--no-defaults',
    `--basedir=${server.base}`,
    `--lc-messages-dir=${share}`,
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
  ];
  const tables = [
    'mysql_system_tables.sql',
    'mysql_performance_tables.sql',
    'mysql_system_tables_data.sql',
  ].map((file) => readFileSync(path.join(share, file), 'utf8'));
  runOnce(
    server,
    [...settings, '--bootstrap'],
    account,
    folder,
    ['CREATE DATABASE mysql;', 'USE mysql;', 'SET @auth_root_socket = NULL;', ...tables].join('\n'),
  );
  const password = randomBytes(16).toString('hex');
  const init = await initFile(folder, account, [
    // The server's own scripts make administrators without a password.
    "DELETE FROM mysql.global_priv WHERE User IN ('root', '')",
    'FLUSH PRIVILEGES',
    `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`,
    `GRANT ALL ON *.* TO '${user}'@'%' WITH GRANT OPTION`,
    'CREATE DATABASE inbox',
  ]);
  return {
    program: server.program,
    args: (port) => [
      ...server.before,
      ...settings,
      ...[`--port=${String(port)}`, '--bind-address=127.0.0.1', '--skip-name-resolve'],
      ...[`--socket=${path.join(data, 'socket')}`, `--pid-file=${path.join(data, 'pid')}`],
      ...[`--init-file=${init}`, '--max-connections=300'],
      // The data dies with the run, so nothing has to reach the disk.
      ...['--innodb-flush-log-at-trx-commit=0', '--skip-innodb-doublewrite'],
    ],
    url: (port) => `mysql://${user}:${password}@127.0.0.1:${String(port)}/inbox`,
  };
}

/**
 * @param {string} url
 * @returns {Promise<string>}
 */
async function probe(url) {
  const version = await probeVersion(url);
  if (!version.includes('MariaDB')) throw new Error(`it is MySQL ${version}, not MariaDB`);
  return version;
}

/**
 * @param {string} reason
 * @returns {string}
 */
function help(reason) {
  return [
    `MariaDB is needed and could not be started: ${reason}`,
    'Do one of these:',
    '  - on Debian or Ubuntu, make sure that "apt-get update" works, or install mariadb-server;',
    '  - or start any MariaDB from version 10.6 on ("docker compose up mariadb" does), and give it:',
    '    MARIADB_URL=mysql://user:password@127.0.0.1:3306/database npm test',
  ].join('\n');
}
