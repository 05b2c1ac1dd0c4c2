import type { Diagnostic } from '../source/diagnostic.js';
import type { Table } from '../table/table.js';
import { traitsOf } from './roles.js';

/**
 * Warns of foreign keys to a row-lock table where the row's lock also holds up whoever inserts a
 * child of it. A handler that does so on a connection of its own waits for its own delivery: a
 * deadlock over two connections, which no server sees.
 */
export function childRowWarnings(table: Table): readonly Diagnostic[] {
  if (!traitsOf(table).childrenWait) return [];
  return (table.references ?? []).map((span) => ({
    code: 'row-lock-foreign-key',
    severity: 'warning',
    message: `a row that references "${table.name.text}" cannot be inserted while its job is in work`,
    span,
    help: 'where a handler inserts such rows, use another form, or reference another unique key than the primary one: on MySQL and MariaDB they wait for the lock that its own delivery holds',
  }));
}
