import type { ColumnType } from '../../table/table.js';
import { sharedTypes, type TypeNames } from '../mysql-family/type-names.js';

/** MariaDB's own types beside the shared ones. */
export const typeNames: TypeNames = new Map<string, ColumnType>([
  ...sharedTypes,
  ['UUID', { kind: 'uuid' }],
  ['INET4', { kind: 'text' }],
  ['INET6', { kind: 'text' }],
]);
