// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where unpacked packages are kept between runs; ignored by git, safe to delete. */
const cache = fileURLToPath(new URL('../../.cache/servers', import.meta.url));

/** Packages that are of no use to a server that is only unpacked. */
const unneeded = /^(?:adduser|debconf|dpkg|perl|libperl|passwd|tar|install-info)/;

/**
 * A package of the distribution to unpack: its name, and the suite and sections that hold it.
 *
 * @typedef {object} Wanted
 * @property {string} name
 * @property {string} suite
 * @property {string} sections
 */

/**
 * Downloads packages of the distribution with all that they depend on, the C library included, and
 * unpacks them into the project's cache. Nothing is installed and no root is needed; a second call
 * finds what the first left. Throws with the reason where this is not a Debian or Ubuntu machine,
 * or the packages cannot be downloaded.
 *
 * @param {string} key Names the folder in the cache.
 * @param {readonly Wanted[]} wanted
 * @returns {Promise<string>} The folder that stands for `/`.
 */
export async function unpackPackages(key, wanted) {
  const folder = path.join(cache, key);
  if (existsSync(folder)) {
    return folder;
  }
  const making = `${folder}.${String(process.pid)}`;
  rmSync(making, { recursive: true, force: true });
  try {
    console.error(`Downloading ${wanted.map(({ name }) => name).join(', ')} (once)`);
    for (const archive of download(path.join(making, 'apt'), wanted)) {
      command('dpkg', ['-x', archive, path.join(making, 'root')]);
    }
    await rename(path.join(making, 'root'), folder);
  } catch (error) {
    if (!existsSync(folder)) {
      throw error;
    }
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/**
 * @param {string} state A folder for apt's own files, so that the system's stay as they are.
 * @param {readonly Wanted[]} wanted
 * @returns {readonly string[]} The package files.
 */
function download(state, wanted) {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root']) {
    mkdirSync(path.join(state, folder), { recursive: true });
  }
  // An empty status file: nothing counts as installed, so everything is downloaded.
  writeFileSync(path.join(state, 'status'), '');
  const mirror = mirrorOfSystem();
  const sources = wanted.map(({ suite, sections }) => `deb ${mirror} ${suite} ${sections}`);
  writeFileSync(path.join(state, 'sources.list'), `${[...new Set(sources)].join('\n')}\n`);
  const options = [
    ...['-q', '-q'],
    ...[
      `Dir::Etc::SourceList=${state}/sources.list`,
      'Dir::Etc::SourceParts=/dev/null',
      `Dir::State::Lists=${state}/lists`,
      `Dir::State::status=${state}/status`,
      `Dir::Cache=${state}/cache`,
      'APT::Install-Recommends=false',
      `APT::Sandbox::User=${process.getuid?.() === 0 ? 'root' : ''}`,
      'Debug::NoLocking=true',
    ].flatMap((option) => ['-o', option]),
  ];
  command('apt-get', [...options, 'update']);
  command('apt-get', [
    ...[...options, '--yes', '--download-only', 'install'],
    ...wanted.map(({ name }) => name),
  ]);
  const archives = path.join(state, 'cache/archives');
  return readdirSync(archives)
    .filter((file) => file.endsWith('.deb') && !unneeded.test(file))
    .map((file) => path.join(archives, file));
}

/**
 * The mirror that this machine's own package manager uses.
 *
 * @returns {string}
 */
function mirrorOfSystem() {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((file) => path.join(folder, file)) : []),
  ].filter((file) => existsSync(file) && /\.(?:list|sources)$/.test(file));
  for (const file of files) {
    const found = /^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+(\S+\/(?:debian|ubuntu)\/?)(?:\s|$)/m.exec(
      readFileSync(file, 'utf8'),
    );
    if (found?.[1] !== undefined) {
      return found[1];
    }
  }
  throw new Error('this machine has no Debian or Ubuntu package sources');
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function command(program, args) {
  const done = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (done.status !== 0) {
    const reason = done.error?.message ?? `${done.stdout}${done.stderr}`.trim();
    throw new Error(`"${program} ${args.at(-1) ?? ''}" failed: ${reason}`);
  }
}

/**
 * The words of `/etc/os-release` that tell distributions apart.
 *
 * @returns {{ id: string, codename: string }}
 */
export function distribution() {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  /** @param {string} name */
  const word = (name) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: word('ID'), codename: word('VERSION_CODENAME') };
}

/**
 * How to run a program of an unpacked folder with that folder's own C library.
 *
 * @param {string} folder
 * @param {string} program
 * @returns {{ readonly program: string, readonly args: readonly string[] }}
 */
export function withOwnLoader(folder, program) {
  const libraries = [];
  let loader;
  for (const base of ['lib', 'usr/lib', 'lib64', 'usr/lib64']) {
    const parent = path.join(folder, base);
    if (!existsSync(parent)) continue;
    const machine = readdirSync(parent).filter((name) => name.endsWith('-linux-gnu'));
    for (const directory of [parent, ...machine.map((name) => path.join(parent, name))]) {
      libraries.push(directory);
      loader ??= readdirSync(directory)
        .filter((name) => /^ld-linux.*\.so\.\d$/.test(name))
        .map((name) => path.join(directory, name))[0];
    }
  }
  if (loader === undefined) {
    throw new Error(`no dynamic loader in ${folder}`);
  }
  return {
    program: loader,
    args: ['--library-path', libraries.join(':'), path.join(folder, program)],
  };
}
