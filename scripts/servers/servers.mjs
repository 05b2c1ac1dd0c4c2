// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { recipe as mariadb } from './mariadb.mjs';
import { recipe as mysql } from './mysql.mjs';
import { recipe as pgbouncer, targetVariable } from './pgbouncer.mjs';
import { recipe as postgres } from './postgres.mjs';

/** @import { Socket } from 'node:net' */
/** @import { Recipe } from './recipe.mjs' */

/**
 * A server that answers, with the way to end it where it is ours.
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {string} version
 * @property {string} variable
 * @property {string} url
 * @property {() => Promise<void>} stop Resolves when the process has ended and its folder is gone.
 */

const supervisor = fileURLToPath(new URL('supervisor.mjs', import.meta.url));

/**
 * A PostgreSQL: the one that `POSTGRES_URL` names, else a throwaway one on a free port of the
 * loopback interface in a temporary folder, which ends with `stop()` or with this process, however
 * that ends. Throws with what to do when neither can be had.
 *
 * @returns {Promise<Server>}
 */
export function openPostgres() {
  return open(postgres, 'postgres');
}

/**
 * A MariaDB, likewise: the one that `MARIADB_URL` names, else a throwaway one.
 *
 * @returns {Promise<Server>}
 */
export function openMariadb() {
  return open(mariadb, 'mariadb');
}

/**
 * A MySQL, likewise: the one that `MYSQL_URL` names, else a throwaway one.
 *
 * @returns {Promise<Server>}
 */
export function openMysql() {
  return open(mysql, 'mysql');
}

/**
 * A throwaway PgBouncer before a PostgreSQL, on a free port of the loopback interface; it ends with
 * `stop()` or with this process, however that ends. Its databases `session` and `transaction` both
 * lead to the database of `target`, in that pool mode, with the same user and password. Throws with
 * what to do when it cannot be had.
 *
 * @param {string} target The address of a database.
 * @returns {Promise<Server>} With the address of the database `session`.
 */
export function openPgbouncer(target) {
  return start(pgbouncer, 'pgbouncer', { [targetVariable]: target });
}

/**
 * All servers that the tests need, each given by its variable or started. Throws with what to do
 * for each that cannot be had; none is left running then.
 *
 * @returns {Promise<readonly Server[]>}
 */
export async function openServers() {
  const outcomes = await Promise.allSettled([openPostgres(), openMariadb(), openMysql()]);
  const servers = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? [outcome.value] : [],
  );
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected'
      ? [outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason)]
      : [],
  );
  if (reasons.length > 0) {
    await Promise.all(servers.map((server) => server.stop()));
    throw new Error(reasons.join('\n\n'));
  }
  return servers;
}

/**
 * @param {Recipe} recipe
 * @param {string} file
 * @returns {Promise<Server>}
 */
async function open(recipe, file) {
  const given = process.env[recipe.variable];
  if (given === undefined || given === '') {
    return start(recipe, file);
  }
  try {
    const version = await recipe.probe(given);
    const { name, variable } = recipe;
    return { name, version, variable, url: given, stop: () => Promise.resolve() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${recipe.variable} (${withoutPassword(given)}) cannot be used: ${reason}\n` +
        `Start that server, or unset ${recipe.variable} to have a throwaway one started.`,
      { cause: error },
    );
  }
}

/**
 * @param {Recipe} recipe
 * @param {string} file
 * @param {Readonly<Record<string, string>>} [environment]
 * @returns {Promise<Server>}
 */
async function start(recipe, file, environment) {
  const child = spawn(process.execPath, [supervisor, file], {
    env: { ...process.env, ...environment },
    // In a group of its own, so that Ctrl-C reaches it through us and the pipe, not beside us.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  /** @type {unknown} */
  const answer = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve(JSON.parse(line));
    });
    exited.then(() => {
      resolve({ error: 'its supervisor ended without an answer' });
    }, reject);
  });
  if (!isStarted(answer)) {
    await exited;
    const reason = /** @type {{ error: string }} */ (answer).error;
    throw new Error(recipe.help(reason));
  }
  // It must not keep its starter alive; the pipe tells it when the starter has ended.
  child.unref();
  for (const pipe of /** @type {Socket[]} */ (
    /** @type {unknown} */ ([child.stdin, child.stdout])
  )) {
    pipe.unref();
  }
  const { name, variable } = recipe;
  return {
    name,
    version: answer.version,
    variable,
    url: answer.url,
    stop: async () => {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}

/**
 * @param {unknown} answer
 * @returns {answer is { url: string, version: string }}
 */
function isStarted(answer) {
  return typeof answer === 'object' && answer !== null && 'url' in answer;
}

/**
 * @param {string} url
 * @returns {string}
 */
function withoutPassword(url) {
  return url.replace(/(?<=:\/\/[^:@/]*):[^@/]*(?=@)/, ':***');
}
