// @ts-check
import { spawn } from 'node:child_process';

import { openServers } from './servers.mjs';

// node scripts/servers/with-servers.mjs <command> [argument…]
// Runs a command with POSTGRES_URL, MARIADB_URL and MYSQL_URL set, and ends the servers with it. Its
// exit code is the command's.

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node scripts/servers/with-servers.mjs <command> [argument…]');
  process.exitCode = 2;
} else {
  process.exitCode = await run(command, args);
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
async function run(program, args) {
  /** @type {Awaited<ReturnType<typeof openServers>>} */
  let servers;
  try {
    servers = await openServers();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  try {
    const environment = Object.fromEntries(servers.map((server) => [server.variable, server.url]));
    return await finished(
      spawn(program, [...args], { stdio: 'inherit', env: { ...process.env, ...environment } }),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function finished(child) {
  // The command decides what a signal means; the servers go when it has gone. A terminal sends its
  // interrupt to the command as well.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}
