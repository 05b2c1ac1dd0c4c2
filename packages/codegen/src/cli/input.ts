import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Result } from '../source/diagnostic.js';
import type { Source } from '../source/source.js';

/** How messages and headers name standard input. */
export const standardInput = '<stdin>';

/**
 * Reads the schema files, `-` from `stdin`; the same file twice is read once. Finds
 * `input-unreadable` for each that is none, or that is not UTF-8. Never throws.
 */
export async function readSources(
  files: readonly string[],
  stdin: Readable,
): Promise<Result<readonly Source[]>> {
  const different = files.filter(
    (file, index) => files.findIndex((other) => samePath(file, other)) === index,
  );
  const results = await Promise.all(different.map((file) => readSource(file, stdin)));
  return {
    value: results.flatMap(({ value }) => value ?? []),
    diagnostics: results.flatMap(({ diagnostics }) => diagnostics),
  };
}

async function readSource(file: string, stdin: Readable): Promise<Result<Source>> {
  const path = file === '-' ? standardInput : file;
  let bytes: Uint8Array;
  try {
    bytes = file === '-' ? await readAll(stdin) : await readFile(file);
  } catch (error) {
    return unreadable(`${path} cannot be read: ${reasonOf(error)}`, 'give the path of a SQL file');
  }
  try {
    // A byte order mark is no part of the text.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: { path, text }, diagnostics: [] };
  } catch {
    return unreadable(`${path} is not UTF-8 text`, 'save it as UTF-8');
  }
}

async function readAll(stream: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** What the system says about a file, in words where the usual cases have some. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EEXIST: 'it is in the way',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'its name is too long',
};

function samePath(left: string, right: string): boolean {
  return left === right || (left !== '-' && right !== '-' && resolve(left) === resolve(right));
}

function unreadable(message: string, help: string): Result<never> {
  return {
    diagnostics: [{ code: 'input-unreadable', severity: 'error', message, help }],
  };
}
