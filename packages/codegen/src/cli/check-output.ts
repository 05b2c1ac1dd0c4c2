import type { EmittedFile } from '../emit/module.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { readOutputFolder } from './output-folder.js';
import { planOutput, type PresentFile, type Step } from './plan.js';
import { plural } from './render.js';
import { shownPath } from './source-name.js';
import { unifiedDiff } from './unified-diff.js';
import { foreignProblems, unwritable, type Outcome } from './write.js';

/**
 * Compares the output folder with what is wanted and writes nothing: `check-drift` for every file
 * that is missing, changed or orphaned, and the whole difference for standard output.
 */
export async function runCheck(folder: string, files: readonly EmittedFile[]): Promise<Outcome> {
  let present: readonly PresentFile[];
  try {
    present = await readOutputFolder(folder);
  } catch (error) {
    return { output: '', diagnostics: [unwritable(folder, error)] };
  }
  const steps = planOutput(files, present);
  const foreign = foreignProblems(folder, steps);
  const drift = steps.flatMap((step) => driftOf(folder, step));
  const diffs = steps.map((step) => diffOf(folder, step));
  const diagnostics = [...foreign, ...drift];
  const talk =
    diagnostics.length === 0
      ? `${shownPath(folder)}: ${plural(steps.length, 'file')} up to date.`
      : 'Run inbox-gen without --check to mend it.';
  return { output: diffs.join(''), talk, diagnostics };
}

function driftOf(folder: string, step: Step): readonly Diagnostic[] {
  const what = drifts[step.kind];
  if (what === undefined) return [];
  return [
    { code: 'check-drift', severity: 'error', message: `${shownPath(folder, step.path)} ${what}` },
  ];
}

const drifts: Readonly<Partial<Record<Step['kind'], string>>> = {
  create: 'is missing',
  update: 'is not what the schema says',
  remove: 'is orphaned: nothing in the schema wants it',
};

function diffOf(folder: string, step: Step): string {
  const path = shownPath(folder, step.path);
  switch (step.kind) {
    case 'create':
      return unifiedDiff(path, undefined, step.text);
    case 'update':
      return unifiedDiff(path, step.present, step.text);
    case 'remove':
      return unifiedDiff(path, step.present, undefined);
    case 'keep':
    case 'foreign':
      return '';
  }
}
