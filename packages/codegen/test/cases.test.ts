import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { afterAll, describe, expect, test } from 'vitest';
import { diagnosticCodes } from '../src/source/diagnostic.js';

/**
 * Every case is a folder with a schema, replayed through the built command line in a copy of its
 * own: `expected/` is the output folder, byte for byte, `stderr.txt` and `stdout.txt` what was said.
 * `command.json` says the arguments, the file for standard input and the exit code where they are
 * not the usual ones; `before/` is what stands in the output folder beforehand.
 * `UPDATE_GOLDENS=1` writes what came instead of comparing it.
 */
interface Command {
  readonly args?: readonly string[];
  readonly stdin?: string;
  readonly exitCode?: number;
}

const casesFolder = fileURLToPath(new URL('../../../fixtures/cases', import.meta.url));
const binary = fileURLToPath(new URL('../bin/inbox-gen.js', import.meta.url));
const update = process.env['UPDATE_GOLDENS'] === '1';
const scratch = mkdtempSync(join(tmpdir(), 'inbox-gen-cases-'));
const names = readdirSync(casesFolder).sort();

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

describe('a golden case', () => {
  test.concurrent.for(names)('%s', { timeout: 60_000 }, async (name, { expect }) => {
    const folder = join(casesFolder, name);
    const command = commandOf(folder);
    const run = await replay(name, command);
    expect(run.exitCode).not.toBeNull();
    if (update) {
      await write(folder, command, run);
      return;
    }
    expect(run.stderr).toBe(readText(folder, 'stderr.txt'));
    expect(run.stdout).toBe(readText(folder, 'stdout.txt'));
    expect(run.exitCode).toBe(command.exitCode ?? 0);
    expect(run.files).toEqual(filesIn(join(folder, 'expected')));
  });
});

test('every diagnostic has a case', () => {
  const said = names.map((name) => readText(join(casesFolder, name), 'stderr.txt')).join('\n');
  // No input is known that brings these about.
  const silent = new Set(['second-opinion', 'second-opinion-unavailable', 'internal']);
  const missing = diagnosticCodes.filter(
    (code) => !silent.has(code) && !new RegExp(`(?:error|warning) ${code}: `).test(said),
  );
  expect(missing).toEqual([]);
});

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  /** The output folder's files and their texts; empty where there is no folder. */
  readonly files: ReadonlyMap<string, string>;
}

async function replay(name: string, command: Command): Promise<Run> {
  const copy = join(scratch, name);
  const folder = join(casesFolder, name);
  const given = new Set(['expected', 'before', 'stderr.txt', 'stdout.txt', 'command.json']);
  for (const entry of readdirSync(folder)) {
    if (!given.has(entry)) cpSync(join(folder, entry), join(copy, entry), { recursive: true });
  }
  const before = join(folder, 'before');
  if (existsSync(before)) cpSync(before, join(copy, 'generated'), { recursive: true });
  const args = [binary, ...(command.args ?? ['schema.sql', '-o', 'generated'])];
  const child = spawn(process.execPath, args, { cwd: copy });
  child.stdin.end(command.stdin === undefined ? '' : readFileSync(join(copy, command.stdin)));
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { stdout, stderr, exitCode, files: filesIn(join(copy, 'generated')) };
}

async function write(folder: string, command: Command, run: Run): Promise<void> {
  const next = { ...command, exitCode: run.exitCode === 0 ? undefined : run.exitCode };
  rmSync(join(folder, 'command.json'), { force: true });
  if (JSON.stringify(next) !== '{}') {
    const json = await format(JSON.stringify(next), { parser: 'json', printWidth: 100 });
    writeFileSync(join(folder, 'command.json'), json);
  }
  for (const [file, text] of [
    ['stderr.txt', run.stderr],
    ['stdout.txt', run.stdout],
  ] as const) {
    rmSync(join(folder, file), { force: true });
    if (text !== '') writeFileSync(join(folder, file), text);
  }
  rmSync(join(folder, 'expected'), { recursive: true, force: true });
  if (run.files.size > 0) {
    cpSync(
      join(scratch, folder.slice(casesFolder.length + 1), 'generated'),
      join(folder, 'expected'),
      {
        recursive: true,
      },
    );
  }
}

function commandOf(folder: string): Command {
  const text = readText(folder, 'command.json');
  return text === '' ? {} : (JSON.parse(text) as Command);
}

function readText(folder: string, file: string): string {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  return new Map(
    readdirSync(folder)
      .sort()
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
}
