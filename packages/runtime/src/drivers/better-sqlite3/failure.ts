import { InboxError } from '../../errors/inbox-error.js';

/** The code of an error of SQLite, such as `SQLITE_CONSTRAINT_FOREIGNKEY`; `''` where it has none. */
export function sqliteCode(error: unknown): string {
  return typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string'
    ? error.code
    : '';
}

/** Another connection holds the lock that was asked for; asking again later is all there is to do. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return (
    code.startsWith('SQLITE_BUSY') ||
    code === 'SQLITE_PROTOCOL' ||
    // The caller is inside `iterate()` on a handle that we share.
    (error instanceof TypeError && error.message.includes('busy executing a query'))
  );
}

/** Another try can help: the file was locked, the disk full or unreadable for the moment. */
export function isTransient(error: unknown): boolean {
  return isBusy(error) || /^SQLITE_(?:FULL|IOERR|NOMEM)/.test(sqliteCode(error));
}

/** What was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Says that a file was locked for as long as it was waited for. */
export function stillLocked(milliseconds: number, cause: unknown, queue?: string): InboxError {
  const place = queue === undefined ? 'The' : `Queue ${queue}: the`;
  return new InboxError(
    'database-busy',
    `${place} SQLite file was locked by another connection for ${milliseconds} ms. Keep other write transactions short, or raise "busyTimeout".`,
    { queue, cause },
  );
}
