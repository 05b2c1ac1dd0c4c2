import type { Queue } from '../queue/queue.js';
import { dialectNamed } from './index.js';
import type { StatementSet } from './statements.js';

/** A queue's statements on its database. Throws where that lacks its form: resolving finds it first. */
export function statementsOf(queue: Queue): StatementSet {
  const dialect = dialectNamed(queue.dialect);
  switch (queue.kind) {
    case 'lease':
      return dialect.leaseStatements(queue);
    case 'advisory':
      return dialect.advisoryStatements(queue);
    case 'row-lock':
      if (dialect.rowLockStatements === undefined) {
        throw new Error(`${queue.dialect} has no row locks`);
      }
      return dialect.rowLockStatements(queue);
  }
}
