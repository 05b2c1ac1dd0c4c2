import type { DialectName } from '../table/table.js';
import type { Dialect } from './dialect.js';
import { postgres } from './postgres/index.js';
import { sqlite } from './sqlite/index.js';

/** The dialects of this version, in the order in which a module lists them. */
export const dialects: readonly Dialect[] = [postgres, sqlite];

/** The dialect of a name; none where this version does not have it yet. */
export function dialectNamed(name: DialectName): Dialect | undefined {
  return dialects.find((dialect) => dialect.name === name);
}
