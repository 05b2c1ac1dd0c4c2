import { join, relative, resolve, sep } from 'node:path';
import { standardInput } from './input.js';

/**
 * How the header of a generated file names a schema file: by its path from the output folder (or
 * from here, where nothing is written), with `/` on every system.
 */
export function nameSourceFrom(folder: string | undefined): (path: string) => string {
  return (path) => {
    if (path === standardInput) return 'standard input';
    return slashed(relative(resolve(folder ?? '.'), resolve(path)));
  };
}

/** A file of the output folder as messages name it, with `/` on every system. */
export function shownPath(folder: string, path = ''): string {
  return slashed(join(folder, path)).replace(/(?<=.)\/$/, '');
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
