import type { DialectName } from '../table/table.js';

/** What resolving a queue must know of a database, as plain facts. */
export interface Traits {
  /** TEXT can hold an instant that the database's own functions read and write (ISO 8601). */
  readonly textInstants: boolean;
  /** The type that a help line proposes for a column that holds an instant. */
  readonly instantExample: string;
  /** The type that a help line proposes for the key. */
  readonly keyExample: string;
  /** How a column of a type that is not known crosses. */
  readonly unknownCrossing: string;
  /** An INSERT can answer what its rows hold, so a default may fill a key. */
  readonly answersInserts: boolean;
  /** A claim can lock a row for as long as its transaction lives, and others step over it. */
  readonly rowLocks: boolean;
  /** Such a lock also holds up whoever inserts a foreign-key child of the row. */
  readonly childrenWait: boolean;
  /** DECIMAL without arguments keeps no fraction. */
  readonly wholeDecimals: boolean;
  /** The symbols that begin a bind marker, or that a driver takes for one. */
  readonly bindMarks: string;
}

const asIs = 'as the text or number that the database makes of it';
const asDigits = 'as the hexadecimal digits of its bytes';

/** The facts of each database. */
export const traits: Readonly<Record<DialectName, Traits>> = {
  postgres: {
    textInstants: false,
    instantExample: 'TIMESTAMPTZ',
    keyExample: 'id BIGSERIAL PRIMARY KEY',
    unknownCrossing: asIs,
    answersInserts: true,
    rowLocks: true,
    childrenWait: false,
    wholeDecimals: false,
    bindMarks: '?$',
  },
  mysql: {
    textInstants: false,
    instantExample: 'DATETIME(3)',
    keyExample: 'id BIGINT AUTO_INCREMENT PRIMARY KEY',
    unknownCrossing: asDigits,
    answersInserts: false,
    rowLocks: true,
    childrenWait: true,
    wholeDecimals: true,
    bindMarks: '?',
  },
  mariadb: {
    textInstants: false,
    instantExample: 'DATETIME(3)',
    keyExample: 'id BIGINT AUTO_INCREMENT PRIMARY KEY',
    unknownCrossing: asDigits,
    answersInserts: true,
    rowLocks: true,
    childrenWait: true,
    wholeDecimals: true,
    bindMarks: '?',
  },
  sqlite: {
    textInstants: true,
    instantExample: 'INTEGER',
    keyExample: 'id INTEGER PRIMARY KEY',
    unknownCrossing: asIs,
    answersInserts: true,
    rowLocks: false,
    childrenWait: false,
    wholeDecimals: false,
    bindMarks: '?$@:',
  },
};
