import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PresentFile, Step } from './plan.js';

/** The files of a folder with their texts; empty where there is no folder. */
export async function readOutputFolder(folder: string): Promise<readonly PresentFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return Promise.all(names.sort().map((name) => readPresent(folder, name)));
}

/**
 * Applies a plan. All new text is written beside its place first, then orphans go, then every file
 * is moved into its place at once: a failure leaves whole files only. Unchanged files are not
 * touched. Throws what the file system says.
 */
export async function writeOutput(folder: string, steps: readonly Step[]): Promise<void> {
  const writes = steps.filter((step) => step.kind === 'create' || step.kind === 'update');
  const temporary = (path: string): string => join(folder, `.${path}.${process.pid}.tmp`);
  if (writes.length > 0) await mkdir(folder, { recursive: true });
  try {
    for (const { path, text } of writes) await writeFile(temporary(path), text, { flag: 'wx' });
    for (const { kind, path } of steps) if (kind === 'remove') await rm(join(folder, path));
    for (const { path } of writes) await rename(temporary(path), join(folder, path));
  } finally {
    await Promise.all(writes.map(({ path }) => rm(temporary(path), { force: true })));
  }
}

/** Only TypeScript is read: nothing else can be ours. A folder or a device has no text. */
async function readPresent(folder: string, name: string): Promise<PresentFile> {
  const path = join(folder, name);
  if (!name.toLowerCase().endsWith('.ts')) return { path: name };
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isFile() !== true) return { path: name };
  return { path: name, text: await readFile(path, 'utf8') };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
