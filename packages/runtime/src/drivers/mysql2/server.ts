import type { MysqlForm } from './server-limits.js';

/** What the runtime has to know of MySQL or of MariaDB beside the statements of a module. */
export interface MysqlServer<Name extends 'mysql' | 'mariadb' = 'mysql' | 'mariadb'> {
  readonly name: Name;
  /** The server's name as messages say it. */
  readonly label: string;
  /** The oldest version that has all that the statements use, for `FOR UPDATE SKIP LOCKED`. */
  readonly oldest: readonly [major: number, minor: number, patch: number];
  /** Whether a server that answers this version is one of this kind. */
  readonly answersAs: (version: string) => boolean;
  /** The call that a server of the other kind needs. */
  readonly otherwise: string;
  /** The forms whose statements the server refuses in a session with `sql_safe_updates`. */
  readonly safeUpdatesRefuse: readonly MysqlForm[];
}

const ofMariadb = /mariadb/i;

/** MySQL from 8.0.1 on. */
export const mysqlServer: MysqlServer<'mysql'> = {
  name: 'mysql',
  label: 'MySQL',
  oldest: [8, 0, 1],
  answersAs: (version) => !ofMariadb.test(version),
  otherwise: 'mariadb(pool)',
  safeUpdatesRefuse: [],
};

/** MariaDB from 10.6 on. */
export const mariadbServer: MysqlServer<'mariadb'> = {
  name: 'mariadb',
  label: 'MariaDB',
  oldest: [10, 6, 0],
  answersAs: (version) => ofMariadb.test(version),
  otherwise: 'mysql(pool)',
  safeUpdatesRefuse: ['lease'],
};
