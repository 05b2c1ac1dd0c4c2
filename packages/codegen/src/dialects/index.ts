import type { DialectName } from '../table/table.js';
import type { Dialect } from './dialect.js';
import { mariadb } from './mariadb/index.js';
import { mysql } from './mysql/index.js';
import { postgres } from './postgres/index.js';
import { sqlite } from './sqlite/index.js';

/** The dialects, in the order in which a module lists them. */
export const dialects: readonly Dialect[] = [postgres, mysql, mariadb, sqlite];

/** The dialect of a name. */
export function dialectNamed(name: DialectName): Dialect {
  return byName[name];
}

const byName: Readonly<Record<DialectName, Dialect>> = { postgres, mysql, mariadb, sqlite };
