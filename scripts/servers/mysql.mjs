// @ts-check
import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { distribution } from './debian-packages.mjs';
import { installation } from './installation.mjs';
import { initFile, ownFolder, probeVersion, runOnce, user, versionOf } from './mysql-family.mjs';

/** @import { Wanted } from './debian-packages.mjs' */
/** @import { Account, Prepared, Recipe } from './recipe.mjs' */

/**
 * MySQL: `mysqld` of the PATH, else the distribution's own package, unpacked into the project's
 * cache. It listens on 127.0.0.1 alone.
 *
 * @type {Recipe}
 */
export const recipe = {
  name: 'MySQL',
  variable: 'MYSQL_URL',
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
  const wanted = packageOfDistribution();
  const server = await installation(
    'mysqld',
    (program) => /mysqld\s+Ver/.test(versionOf(program)) && !versionOf(program).includes('MariaDB'),
    `mysql-${wanted.suite}`,
    [wanted],
    folder,
    account,
  );
  const data = await ownFolder(folder, 'data', account);
  const temporary = await ownFolder(folder, 'tmp', account);
  const settings = [
    '--no-defaults',
    `--basedir=${server.base}`,
    `--datadir=${data}`,
    `--tmpdir=${temporary}`,
  ];
  runOnce(server, [...settings, '--initialize-insecure'], account, folder);
  const password = randomBytes(16).toString('hex');
  const init = await initFile(folder, account, [
    `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`,
    `GRANT ALL ON *.* TO '${user}'@'%' WITH GRANT OPTION`,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}'`,
    'CREATE DATABASE inbox',
  ]);
  return {
    program: server.program,
    args: (port) => [
      ...server.before,
      ...settings,
      ...[`--port=${String(port)}`, '--bind-address=127.0.0.1', '--skip-name-resolve'],
      ...[`--socket=${path.join(data, 'socket')}`, `--pid-file=${path.join(data, 'pid')}`],
      ...[`--init-file=${init}`, '--max-connections=300', '--mysqlx=OFF'],
      '--secure-file-priv=NULL',
      // The data dies with the run, so nothing has to reach the disk.
      ...['--innodb-flush-log-at-trx-commit=0', '--innodb-doublewrite=OFF', '--skip-log-bin'],
    ],
    url: (port) => `mysql://${user}:${password}@127.0.0.1:${String(port)}/inbox`,
  };
}

/**
 * Ubuntu has MySQL in each release, Debian in its unstable suite alone.
 *
 * @returns {Wanted}
 */
function packageOfDistribution() {
  const { id, codename } = distribution();
  return id === 'ubuntu'
    ? { name: 'mysql-server-core-8.0', suite: codename, sections: 'main universe' }
    : { name: 'mysql-server-core', suite: 'sid', sections: 'main' };
}

/**
 * @param {string} url
 * @returns {Promise<string>}
 */
async function probe(url) {
  const version = await probeVersion(url);
  if (version.includes('MariaDB')) throw new Error(`it is MariaDB ${version}, not MySQL`);
  return version;
}

/**
 * @param {string} reason
 * @returns {string}
 */
function help(reason) {
  return [
    `MySQL is needed and could not be started: ${reason}`,
    'Do one of these:',
    '  - on Debian or Ubuntu, make sure that "apt-get update" works, or install mysql-server;',
    '  - or start any MySQL from version 8.0.1 on ("docker compose up mysql" does), and give it:',
    '    MYSQL_URL=mysql://user:password@127.0.0.1:3306/database npm test',
  ].join('\n');
}
