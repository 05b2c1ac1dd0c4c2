import { realpathSync, statSync } from 'node:fs';

import { prepareExactly, type SqliteHandle } from './handle.js';

/**
 * What tells one database from another in this process: of a file the same for every handle, link
 * and spelling of its path; of a database in memory the handle itself.
 */
export type DatabaseIdentity = string | SqliteHandle;

/**
 * The absolute path of one of a handle's databases, as SQLite knows it: a relative name may no
 * longer lead there. `undefined` where it is in memory, or there is none of that name.
 */
export function databaseFile(handle: SqliteHandle, schema: string): string | undefined {
  const databases = prepareExactly(handle, 'PRAGMA database_list').all([]) as unknown[][];
  const file = databases.find(([, name]) => name === schema)?.[2];
  return typeof file === 'string' && file !== '' ? file : undefined;
}

/** The identity of the database that a table is in: the main one, or an attached one that its name gives. */
export function databaseIdentity(handle: SqliteHandle, table: string): DatabaseIdentity {
  const schema = /^([^.]+)\./.exec(table)?.[1];
  const file =
    (schema === undefined ? undefined : databaseFile(handle, schema)) ??
    databaseFile(handle, 'main');
  return file === undefined ? handle : fileIdentity(file);
}

function fileIdentity(file: string): string {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return ino === 0n ? realpathSync(file) : `${dev}:${ino}`;
  } catch {
    // The file was deleted under the handle: nobody else can open it any more.
    return file;
  }
}
