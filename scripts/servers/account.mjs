// @ts-check
import { spawnSync } from 'node:child_process';

/** @import { Account } from './recipe.mjs' */

/**
 * The unprivileged account that servers run as when the tests run as root: `nobody`, else
 * `postgres`; null when the tests do not run as root and no other account is needed. It must have
 * an entry in the user database, because `initdb` looks its own user up. Throws when there is none.
 *
 * @returns {Account | null}
 */
export function serverAccount() {
  if (process.getuid?.() !== 0) {
    return null;
  }
  for (const name of ['nobody', 'postgres']) {
    const uid = numberFrom(['-u', name]);
    const gid = numberFrom(['-g', name]);
    if (uid !== null && gid !== null) {
      return { uid, gid };
    }
  }
  throw new Error(
    'running as root, and there is no account "nobody" or "postgres" to run the server as',
  );
}

/**
 * True where that account may read every one of the files, and so enter the folders above them.
 *
 * @param {Account | null} account
 * @param {readonly string[]} files
 * @returns {boolean}
 */
export function canRead(account, files) {
  const test = spawnSync(
    '/bin/sh',
    ['-c', 'for file in "$@"; do test -r "$file" || exit 1; done', 'sh', ...files],
    { cwd: '/', stdio: 'ignore', ...account },
  );
  return test.status === 0;
}

/**
 * @param {readonly string[]} args
 * @returns {number | null}
 */
function numberFrom(args) {
  const answer = spawnSync('id', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return answer.status === 0 ? Number(answer.stdout.trim()) : null;
}
