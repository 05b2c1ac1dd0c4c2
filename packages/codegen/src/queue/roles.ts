import type { DiagnosticCode } from '../source/diagnostic.js';
import type { Column, ColumnType, Table } from '../table/table.js';
import { traits, type Traits } from './traits.js';

/** What a column can be for, by the word that annotates it. */
export type RoleName = 'id' | 'attempt' | 'locked_until' | 'payload';

/** One row of the role table. */
export interface Role {
  readonly name: RoleName;
  /** Several columns may play it together. */
  readonly composite: boolean;
  /** It holds a moment, so an integer column of it may say its unit with `@epoch`. */
  readonly instant: boolean;
  /** Whether a column plays it without being told to. */
  readonly untold: (column: Column, table: Table) => boolean;
  /** What is said of a column whose type cannot play it; absent where every type can. */
  readonly type?: {
    readonly accepts: (type: ColumnType, traits: Traits) => boolean;
    readonly code: DiagnosticCode;
    readonly wrong: string;
    readonly help: (traits: Traits) => string;
  };
}

/** The roles of this version, in the order in which a claimed row's cells begin. */
export const roles: readonly Role[] = [
  {
    name: 'id',
    composite: true,
    instant: false,
    untold: (column, table) => table.primaryKey.includes(column.name.text),
  },
  {
    name: 'locked_until',
    composite: false,
    instant: true,
    untold: namedAs('locked_until'),
    type: {
      accepts: (type, { textInstants }) =>
        type.kind === 'instant' ||
        type.kind === 'integer' ||
        (type.kind === 'text' && textInstants),
      code: 'lease-column-type',
      wrong: 'cannot hold the moment at which a lease ends',
      help: ({ instantExample }) =>
        `declare it ${instantExample}, or a 64-bit integer (milliseconds since 1970, see @epoch)`,
    },
  },
  {
    name: 'attempt',
    composite: false,
    instant: false,
    untold: namedAs('attempt'),
    type: {
      accepts: (type) => type.kind === 'integer',
      code: 'attempt-type',
      wrong: 'cannot count deliveries',
      help: () =>
        'declare it INTEGER NOT NULL DEFAULT 1, or write @data beside it if it counts something else',
    },
  },
  {
    name: 'payload',
    composite: false,
    instant: false,
    untold: namedAs('payload'),
  },
];

/** The facts of a table's database. */
export function traitsOf(table: Table): Traits {
  return traits[table.dialect];
}

/** A bare name means the same in any case, on every database. */
function namedAs(role: RoleName): (column: Column) => boolean {
  return ({ name }) => name.text === role || (!name.quoted && name.text.toLowerCase() === role);
}
