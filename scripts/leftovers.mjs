// @ts-check
import { readdirSync, readFileSync } from 'node:fs';

/** The variable that marks a test run's processes, because every child inherits it. */
export const runMarker = 'INBOX_TEST_RUN';

/**
 * What a test run has left behind: the entries of the temporary folder that it was given, and the
 * processes that carry its mark in their environment (read from /proc; where there is none, as on
 * macOS, processes are not looked for). Processes that are on their way out count as well: ask again.
 *
 * @param {string} mark
 * @param {string} folder
 * @returns {readonly string[]}
 */
export function leftovers(mark, folder) {
  return [
    ...readdirSync(folder).map((name) => `temporary file ${name}`),
    ...processesWith(`${runMarker}=${mark}`),
  ];
}

/**
 * @param {string} assignment
 * @returns {readonly string[]}
 */
function processesWith(assignment) {
  /** @type {readonly string[]} */
  let entries;
  try {
    entries = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return entries
    .filter((id) => Number(id) !== process.pid)
    .filter((id) => read(`/proc/${id}/environ`).split('\0').includes(assignment))
    .map((id) => `process ${id}: ${read(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trim()}`);
}

/**
 * @param {string} file
 * @returns {string}
 */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
    return '';
  }
}
