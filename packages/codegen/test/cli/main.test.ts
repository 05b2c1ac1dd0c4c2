import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import { version } from '../../src/emit/version.js';

const binary = fileURLToPath(new URL('../../bin/inbox-gen.js', import.meta.url));

const reports = `-- @inbox lease RenderReport
CREATE TABLE report_jobs (id BIGSERIAL PRIMARY KEY, locked_until TIMESTAMPTZ, payload JSONB);
`;
const mails = `-- @inbox lease Mail
CREATE TABLE mails (id BIGSERIAL PRIMARY KEY, locked_until TIMESTAMPTZ);
`;

let folder = '';
const at = (...path: readonly string[]): string => join(folder, ...path);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inbox-gen-main-'));
  writeFileSync(at('reports.sql'), reports);
  writeFileSync(at('mails.sql'), mails);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in this process. */
async function run(
  args: readonly string[],
  options: { readonly isTTY?: boolean; readonly environment?: Record<string, string> } = {},
): Promise<Said> {
  const [stdout, stderr] = [collector(), collector()];
  const exitCode = await main(args, {
    stdin: new PassThrough().end(),
    stdout: stdout.stream,
    stderr: Object.assign(stderr.stream, { isTTY: options.isTTY === true }),
    environment: options.environment ?? {},
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

describe('writing', () => {
  const write = (): Promise<Said> => run([at('reports.sql'), '-o', at('out')]);

  test('does not touch what would not change', async () => {
    await write();
    const module = at('out', 'report_jobs.ts');
    utimesSync(module, 1, 1);
    const { stderr } = await write();
    expect(stderr).toContain('2 unchanged');
    expect(statSync(module).mtimeMs).toBe(1000);
  });

  test('mends what was edited, removes what is orphaned, leaves nothing behind', async () => {
    await run([at('reports.sql'), at('mails.sql'), '-o', at('out')]);
    const module = at('out', 'report_jobs.ts');
    const before = readFileSync(module, 'utf8');
    writeFileSync(module, `${before}// edited\n`);
    await write();
    expect(readFileSync(module, 'utf8')).toBe(before);
    expect(readdirSync(at('out'))).toEqual(['index.ts', 'report_jobs.ts']);
  });

  test('writes nothing if anything is wrong, however many tables are right', async () => {
    await write();
    const before = readFileSync(at('out', 'index.ts'), 'utf8');
    writeFileSync(at('wrong.sql'), reports.replace('id BIGSERIAL PRIMARY KEY, ', ''));
    const { exitCode } = await run([at('mails.sql'), at('wrong.sql'), '-o', at('out')]);
    expect(exitCode).toBe(1);
    expect(readdirSync(at('out'))).toEqual(['index.ts', 'report_jobs.ts']);
    expect(readFileSync(at('out', 'index.ts'), 'utf8')).toBe(before);
  });

  test('writes nothing if a file is in the way', async () => {
    mkdirSync(at('out', 'mails.ts'), { recursive: true });
    const { exitCode, stderr } = await run([at('reports.sql'), at('mails.sql'), '-o', at('out')]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('output-foreign');
    expect(readdirSync(at('out'))).toEqual(['mails.ts']);
  });
});

describe('checking', () => {
  test('is content with what was written', async () => {
    await run([at('reports.sql'), '-o', at('out')]);
    const { exitCode, stdout, stderr } = await run([at('reports.sql'), '-o', at('out'), '--check']);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('2 files up to date');
  });

  test('finds a folder that is not there, and does not make it', async () => {
    const { exitCode, stderr } = await run([at('reports.sql'), '-o', at('none'), '--check']);
    expect(exitCode).toBe(1);
    expect(stderr.match(/check-drift/g)).toHaveLength(2);
    expect(readdirSync(folder)).not.toContain('none');
  });

  test('prints a difference that patch takes', async () => {
    await run([at('reports.sql'), '-o', at('out')]);
    const module = at('out', 'report_jobs.ts');
    const right = readFileSync(module, 'utf8');
    writeFileSync(module, right.replace('counted: false', 'counted: true'));
    const { stdout } = await run([at('reports.sql'), '-o', at('out'), '--check']);
    expect(stdout).toContain('-  counted: true,\n+  counted: false,\n');
  });
});

describe('the same input gives the same bytes', () => {
  const files = (out: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(at(out)).map((name) => [name, readFileSync(at(out, name), 'utf8')]),
    );

  test('in any order, from anywhere, in any locale and time zone', async () => {
    await run([at('reports.sql'), at('mails.sql'), '-o', at('a')]);
    mkdirSync(at('elsewhere'));
    const { status } = spawnSync(
      process.execPath,
      [binary, '../mails.sql', '../reports.sql', '-o', '../b'],
      {
        cwd: at('elsewhere'),
        env: { ...process.env, LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' },
      },
    );
    expect(status).toBe(0);
    expect(files('b')).toEqual(files('a'));
  });

  test('whatever the line endings, with or without a byte order mark', async () => {
    await run([at('reports.sql'), '-o', at('a')]);
    writeFileSync(at('reports.sql'), `\ufeff${reports.replaceAll('\n', '\r\n')}`);
    await run([at('reports.sql'), '-o', at('b')]);
    expect(files('b')).toEqual(files('a'));
  });
});

describe('talking', () => {
  const wrong = (): readonly string[] => {
    writeFileSync(at('wrong.sql'), reports.replace('TIMESTAMPTZ', 'BOOLEAN'));
    return [at('wrong.sql'), '-o', at('out')];
  };

  test('is coloured on a terminal, unless NO_COLOR is set', async () => {
    const args = wrong();
    const red = '\u001b[31m';
    expect((await run(args)).stderr).not.toContain(red);
    expect((await run(args, { isTTY: true })).stderr).toContain(red);
    const environment = { NO_COLOR: '1' };
    expect((await run(args, { isTTY: true, environment })).stderr).not.toContain(red);
  });

  test('keeps to standard error; standard output is what was asked for', async () => {
    const { stdout, stderr } = await run([at('reports.sql'), '--print']);
    expect(stdout).toMatch(/^\/\/ @generated by inbox-gen from /);
    expect(stderr).toBe('');
  });

  test('is nothing but errors with --quiet', async () => {
    const right = await run([at('reports.sql'), '-o', at('out'), '--quiet']);
    expect([right.exitCode, right.stdout, right.stderr]).toEqual([0, '', '']);
    expect((await run([...wrong(), '--quiet'])).stderr).toContain('lease-column-type');
  });
});

test('--version is the package’s', async () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string };
  expect(version).toBe(manifest.version);
  expect((await run(['--version'])).stdout).toBe(`${version}\n`);
});

test('--help loads neither ts-morph nor a SQL parser', () => {
  const loaded = (args: readonly string[]): readonly string[] => {
    const script = `
      import { createRequire } from 'node:module';
      import { main } from ${JSON.stringify(new URL('../../dist/cli/main.js', import.meta.url).href)};
      await main(${JSON.stringify(args)});
      const { cache } = createRequire(${JSON.stringify(import.meta.url)});
      console.error(JSON.stringify(Object.keys(cache)));`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    return JSON.parse(stderr) as readonly string[];
  };
  const heavy = /ts-morph|pgsql-ast-parser|node-sql-parser/;
  expect(loaded(['--help']).filter((path) => heavy.test(path))).toEqual([]);
  expect(loaded([at('reports.sql'), '--print']).some((path) => heavy.test(path))).toBe(true);
});
