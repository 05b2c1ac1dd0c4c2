import type { Dialect } from '../dialect.js';
import { tableReader } from '../mysql-family/read.js';
import { typeNames } from './type-names.js';

/** Reads one CREATE TABLE of MariaDB; fails with `unreadable-table`. */
export const readTable: Dialect['readTable'] = tableReader('mariadb', typeNames);
