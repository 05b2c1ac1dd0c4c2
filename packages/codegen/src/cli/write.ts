import type { EmittedFile } from '../emit/module.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { reasonOf } from './input.js';
import { readOutputFolder, writeOutput } from './output-folder.js';
import { planOutput, type PresentFile, type Step } from './plan.js';
import { shownPath } from './source-name.js';

/** What a job has to say when it is through. */
export interface Outcome {
  /** For standard output. */
  readonly output: string;
  /** The last line for standard error; absent for the usual one. */
  readonly talk?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Brings the output folder to what is wanted, or touches nothing and says why not. */
export async function runWrite(folder: string, files: readonly EmittedFile[]): Promise<Outcome> {
  let present: readonly PresentFile[];
  try {
    present = await readOutputFolder(folder);
  } catch (error) {
    return failed(unwritable(folder, error));
  }
  const steps = planOutput(files, present);
  const foreign = foreignProblems(folder, steps);
  if (foreign.length > 0) return { output: '', diagnostics: foreign };
  try {
    await writeOutput(folder, steps);
  } catch (error) {
    return failed(unwritable(folder, error));
  }
  return { output: '', talk: talkOf(folder, steps), diagnostics: [] };
}

/** `output-foreign` for every file that is in the way and that we did not write. */
export function foreignProblems(folder: string, steps: readonly Step[]): readonly Diagnostic[] {
  return steps
    .filter(({ kind }) => kind === 'foreign')
    .map(({ path }) => ({
      code: 'output-foreign',
      severity: 'error',
      message: `${shownPath(folder, path)} is in the way, and inbox-gen did not write it`,
      help: 'move it, or write to another folder; a file without our first line is never overwritten',
    }));
}

/** `output-unwritable`, with what the system says. */
export function unwritable(folder: string, error: unknown): Diagnostic {
  return {
    code: 'output-unwritable',
    severity: 'error',
    message: `${folder} cannot be written: ${reasonOf(error)}`,
    help: 'give a folder that can be written with -o',
  };
}

function failed(diagnostic: Diagnostic): Outcome {
  return { output: '', diagnostics: [diagnostic] };
}

function talkOf(folder: string, steps: readonly Step[]): string {
  const counts = (['create', 'update', 'remove', 'keep'] as const).flatMap((kind) => {
    const count = steps.filter((step) => step.kind === kind).length;
    return count === 0 ? [] : [`${count} ${words[kind]}`];
  });
  return counts.length === 0 ? '' : `${shownPath(folder)}: ${counts.join(', ')}.`;
}

const words = { create: 'created', update: 'updated', remove: 'removed', keep: 'unchanged' };
