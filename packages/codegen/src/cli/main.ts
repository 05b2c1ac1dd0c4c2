import type { Readable, Writable } from 'node:stream';
import type { GenerateResult } from '../generate.js';
import type { Diagnostic, DiagnosticCode } from '../source/diagnostic.js';
import { barrelPath } from '../emit/barrel.js';
import { version } from '../emit/version.js';
import { parseCommand, type GenerateRequest } from './args.js';
import { runCheck } from './check-output.js';
import { helpText } from './help.js';
import { readSources } from './input.js';
import { countProblems, renderDiagnostics } from './render.js';
import { nameSourceFrom } from './source-name.js';
import { runWrite, type Outcome } from './write.js';

/** What the command line is run with; the process's own unless a test says otherwise. */
export interface Surroundings {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The exit codes, as `--help` explains them. */
export type ExitCode = 0 | 1 | 2;

/**
 * Runs the command line and answers its exit code. Standard output carries what was asked for,
 * standard error the talk. Never throws: a bug of ours becomes an `internal` diagnostic.
 */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  },
): Promise<ExitCode> {
  const { stdout, stderr } = surroundings;
  // A reader that has seen enough (`| head`) is no failure of ours.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const command = parseCommand(args);
  switch (command.kind) {
    case 'help':
      stdout.write(helpText());
      return 0;
    case 'version':
      stdout.write(`${version}\n`);
      return 0;
    case 'mistake': {
      const { message, help } = command;
      const diagnostic: Diagnostic = { code: 'usage', severity: 'error', message, help };
      stderr.write(renderDiagnostics([diagnostic], { color: isColored(surroundings) }));
      return 2;
    }
    case 'generate':
      try {
        return await run(command.request, surroundings);
      } catch (error) {
        return report([internalProblem(error)], 'Nothing was written.', surroundings, false);
      }
  }
}

async function run(request: GenerateRequest, surroundings: Surroundings): Promise<ExitCode> {
  const { quiet, mode } = request;
  const sources = await readSources(request.files, surroundings.stdin);
  const { generate } = await import('../generate.js');
  const result = await generate(sources.value ?? [], {
    dialects: request.dialects,
    importExtension: request.importExtension,
    nameSource: nameSourceFrom(request.out),
  });
  const found = [...sources.diagnostics, ...result.diagnostics];
  if (hasError(found)) return report(found, 'Nothing was written.', surroundings, quiet);
  const outcome = await finish(request, result);
  surroundings.stdout.write(outcome.output);
  const all = [...found, ...outcome.diagnostics];
  const nothing = mode !== 'write' || hasError(outcome.diagnostics);
  return report(all, outcome.talk ?? (nothing ? 'Nothing was written.' : ''), surroundings, quiet);
}

async function finish({ mode, out }: GenerateRequest, { files }: GenerateResult): Promise<Outcome> {
  if (mode === 'print' || out === undefined) {
    const modules = files.filter(({ path }) => path !== barrelPath);
    return { output: modules.map(({ text }) => text).join('\n'), talk: '', diagnostics: [] };
  }
  return mode === 'check' ? runCheck(out, files) : runWrite(out, files);
}

/** Prints what was found and a last line, and answers the exit code that it comes to. */
function report(
  diagnostics: readonly Diagnostic[],
  talk: string,
  surroundings: Surroundings,
  quiet: boolean,
): ExitCode {
  const { stderr } = surroundings;
  const shown = quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
  const text = renderDiagnostics(shown, { color: isColored(surroundings) });
  const counts = countProblems(shown);
  const summary = [counts === '' ? '' : `${counts}.`, talk].filter((part) => part !== '').join(' ');
  const silent = quiet && shown.length === 0;
  if (text !== '') stderr.write(`${text}\n`);
  if (summary !== '' && !silent) stderr.write(`${summary}\n`);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => undone.has(code))) return 2;
  return errors.length > 0 ? 1 : 0;
}

/** Errors that say nothing about the schema: the job could not be done. */
const undone: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'input-unreadable',
  'output-foreign',
  'output-unwritable',
  'usage',
  'internal',
]);

function isColored({ stderr, environment }: Surroundings): boolean {
  return stderr.isTTY === true && !environment['NO_COLOR'];
}

function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function internalProblem(error: unknown): Diagnostic {
  return {
    code: 'internal',
    severity: 'error',
    message: `inbox-gen has a bug: ${error instanceof Error ? error.message : String(error)}`,
    help: 'please report it together with the schema',
  };
}
