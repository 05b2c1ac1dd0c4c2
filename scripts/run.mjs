// @ts-check
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's folder, in which every command runs. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a program with the terminal's own output and no input, and answers its exit code; 127 where
 * it cannot be started, 1 where a signal ended it.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [environment] Added to this process's own.
 * @returns {Promise<number>}
 */
export function run(program, args, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environment },
    });
    child.once('error', (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(127);
    });
    child.once('exit', (code) => {
      resolve(code ?? 1);
    });
  });
}

/**
 * Runs a JavaScript file, or the command of an installed package, with this Node.
 *
 * @param {string} file Relative to the repository.
 * @param {readonly string[]} [args]
 * @param {Readonly<Record<string, string>>} [environment]
 * @returns {Promise<number>}
 */
export function runNode(file, args = [], environment = {}) {
  return run(process.execPath, [file, ...args], environment);
}
