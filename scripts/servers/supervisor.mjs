// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { canRead, serverAccount } from './account.mjs';
import { freePort } from './free-port.mjs';
import { recipe as mariadb } from './mariadb.mjs';
import { recipe as mysql } from './mysql.mjs';
import { recipe as pgbouncer } from './pgbouncer.mjs';
import { recipe as postgres } from './postgres.mjs';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Account, Prepared, Recipe } from './recipe.mjs' */

// Runs one throwaway server for the process that started this one, and holds the reading end of a
// pipe to it. When that pipe ends, because the other side closed it or died in whatever way, the
// server is stopped by its process id and its folder removed. Answers one line of JSON:
// {"url", "version", "pid", "folder"}, or {"error"}.

/** @type {ReadonlyMap<string, Recipe>} */
const recipes = new Map([
  ['postgres', postgres],
  ['pgbouncer', pgbouncer],
  ['mariadb', mariadb],
  ['mysql', mysql],
]);

/** How often a server may find its port taken by somebody else. */
const portAttempts = 5;

/** How long a server may take to answer, and how long each of its stop signals may take. */
const startLimit = 30_000;
const stopLimit = 5_000;

const parentGone = new Promise((resolve) => {
  process.stdin.once('end', resolve).once('close', resolve).once('error', resolve).resume();
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) {
    process.once(signal, resolve);
  }
});
// The answer may find nobody to read it.
process.stdout.on('error', () => undefined);

await main(process.argv[2] ?? '');

/** @param {string} name */
async function main(name) {
  const recipe = recipes.get(name);
  if (recipe === undefined) {
    throw new Error(`unknown server "${name}"`);
  }
  /** @type {string | null} */
  let folder = null;
  try {
    const account = serverAccount();
    folder = await temporaryFolder(name, account);
    const prepared = await recipe.prepare(folder, account);
    const running = await start(recipe, prepared, folder, account);
    process.stdout.write(
      `${JSON.stringify({ url: running.url, version: running.version, pid: running.server.pid, folder })}\n`,
    );
    await Promise.race([parentGone, running.exited]);
    await stop(recipe, running.server);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${JSON.stringify({ error: reason })}\n`);
    process.exitCode = 1;
  } finally {
    if (folder !== null) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    process.stdin.destroy();
  }
}

/**
 * A folder that the server's account may enter: in the system's temporary folder, or in /tmp where
 * that is closed to the account.
 *
 * @param {string} name
 * @param {Account | null} account
 * @returns {Promise<string>}
 */
async function temporaryFolder(name, account) {
  const base = canRead(account, [tmpdir()]) ? tmpdir() : '/tmp';
  const folder = await mkdtemp(path.join(base, `inbox-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

/**
 * @param {Recipe} recipe
 * @param {Prepared} prepared
 * @param {string} folder
 * @param {Account | null} account
 */
async function start(recipe, prepared, folder, account) {
  const log = path.join(folder, 'log');
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const output = openSync(log, 'w');
    const server = spawn(prepared.program, [...prepared.args(port)], {
      cwd: folder,
      stdio: ['ignore', output, output],
      ...account,
    });
    const exited = once(server, 'exit');
    // The start loop below sees that it has ended; nobody has to await this.
    exited.catch(() => undefined);
    const url = prepared.url(port);
    const outcome = await waitForAnswer(recipe, server, url);
    if ('version' in outcome) {
      return { server, exited, url, version: outcome.version };
    }
    await stop(recipe, server);
    if (attempt === portAttempts || outcome.parentGone) {
      const lines = (await readFile(log, 'utf8')).trim();
      throw new Error(`${outcome.error}${lines === '' ? '' : `\n${lines}`}`);
    }
  }
}

/**
 * @param {Recipe} recipe
 * @param {ChildProcess} server
 * @param {string} url
 * @returns {Promise<{ version: string } | { error: string, parentGone: boolean }>}
 */
async function waitForAnswer(recipe, server, url) {
  const state = { error: '', parentGone: false };
  server.once('error', (error) => (state.error = error.message));
  void parentGone.then(() => (state.parentGone = true));
  const end = Date.now() + startLimit;
  for (;;) {
    if (state.error !== '') {
      return state;
    }
    if (server.exitCode !== null || server.signalCode !== null) {
      return { ...state, error: 'the server ended while it started' };
    }
    if (state.parentGone) {
      return { ...state, error: 'nobody waits for the server any more' };
    }
    try {
      return { version: await recipe.probe(url) };
    } catch (error) {
      if (Date.now() > end) {
        return { ...state, error: `it does not answer: ${String(error)}` };
      }
    }
    await delay(50);
  }
}

/**
 * @param {Recipe} recipe
 * @param {ChildProcess} server
 */
async function stop(recipe, server) {
  const exited = new Promise((resolve) => server.once('exit', resolve));
  for (const signal of recipe.stopSignals) {
    if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) {
      return;
    }
    server.kill(signal);
    const limit = new AbortController();
    await Promise.race([
      exited,
      delay(stopLimit, null, { signal: limit.signal }).catch(() => null),
    ]);
    limit.abort();
  }
}
