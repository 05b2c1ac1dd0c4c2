import type { DialectName } from '../table/table.js';

/** What resolving a queue must know of a database, as plain facts. */
export interface Traits {
  /** TEXT can hold an instant that the database's own functions read and write (ISO 8601). */
  readonly textInstants: boolean;
  /** The type that a help line proposes for a column that holds an instant. */
  readonly instantExample: string;
  /** The type that a help line proposes for the key. */
  readonly keyExample: string;
}

/** The facts of each database. */
export const traits: Readonly<Record<DialectName, Traits>> = {
  postgres: {
    textInstants: false,
    instantExample: 'TIMESTAMPTZ',
    keyExample: 'id BIGSERIAL PRIMARY KEY',
  },
  mysql: {
    textInstants: false,
    instantExample: 'DATETIME(3)',
    keyExample: 'id BIGINT AUTO_INCREMENT PRIMARY KEY',
  },
  mariadb: {
    textInstants: false,
    instantExample: 'DATETIME(3)',
    keyExample: 'id BIGINT AUTO_INCREMENT PRIMARY KEY',
  },
  sqlite: {
    textInstants: true,
    instantExample: 'INTEGER',
    keyExample: 'id INTEGER PRIMARY KEY',
  },
};
