import type { QueueTable } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import type { StatementSet } from '../statements.js';
import type { Server } from './server.js';

type Entry = StatementSet['entries'][number];

/**
 * Has the statements run in UTC that depend on the session's time zone: a TIMESTAMP column is read
 * and written in it, and so is "now" in the default of a column that an insert leaves out.
 */
export function inUtc(
  { table }: QueueTable,
  server: Server,
  entries: readonly Entry[],
): StatementSet {
  const zoned = table.columns.some(isZoned);
  const timed = table.columns.some((column) => column.default !== undefined && tellsTime(column));
  const needsUtc = ({ name }: Entry): boolean =>
    // An author's own lock, or our unlock, is about no row.
    name === 'insert' ? zoned || timed : zoned && name !== 'lock' && name !== 'unlock';
  return { entries: entries.map((entry) => (needsUtc(entry) ? entryInUtc(entry, server) : entry)) };
}

function entryInUtc(entry: Entry, server: Server): Entry {
  const { statement } = entry;
  return 'text' in statement
    ? { ...entry, statement: { ...statement, text: server.inUtc(statement.text) } }
    : { ...entry, statement: { ...statement, before: server.inUtc(statement.before) } };
}

function isZoned({ type }: Column): boolean {
  return type.kind === 'instant' && type.stored === 'zoned';
}

function tellsTime({ type }: Column): boolean {
  return type.kind === 'instant' || type.kind === 'date' || type.kind === 'time';
}
