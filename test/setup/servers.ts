import Database from 'better-sqlite3';

import { openServers } from '../../scripts/servers/servers.mjs';

/**
 * Starts the database servers once for all test files (or takes those that are given), publishes
 * each address in its variable, which every worker process inherits, and says in the end what the
 * tests ran on. Throws with what to do when a server cannot be had: no test is left out for it.
 */
export async function setup(): Promise<() => Promise<void>> {
  const servers = await openServers();
  for (const server of servers) {
    process.env[server.variable] = server.url;
  }
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
    const versions = servers.map((server) => `${server.name} ${server.version}`);
    console.log(
      `\nRan on ${[...versions, `SQLite ${sqliteVersion()}`].join(', ')}, Node ${process.version}`,
    );
  };
}

function sqliteVersion(): string {
  const database = new Database(':memory:');
  try {
    return String(database.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    database.close();
  }
}
