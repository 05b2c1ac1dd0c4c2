import type { Result } from '../source/diagnostic.js';
import type { Column, ColumnType } from '../table/table.js';
import type { AttemptColumn } from './queue.js';

/**
 * Reads the column that counts deliveries: what a new row starts with is its default, 1 where it
 * has none. Finds `attempt-default` (another default) and `attempt-type` (a computed column); that
 * its type is an integer has been checked with the roles.
 */
export function attemptOf(column: Column): Result<AttemptColumn> {
  if (column.generated !== undefined) {
    return {
      diagnostics: [
        {
          code: 'attempt-type',
          severity: 'error',
          message: `"${column.name.text}" is filled by the database, so a claim cannot count in it`,
          span: column.span,
          help: 'declare it INTEGER NOT NULL DEFAULT 1',
        },
      ],
    };
  }
  const start = column.default === undefined ? 1 : startOf(column.default.sql);
  if (start !== undefined) {
    return { value: { column, start, ...mostOf(column.type) }, diagnostics: [] };
  }
  return {
    diagnostics: [
      {
        code: 'attempt-default',
        severity: 'error',
        message: `"${column.name.text}" starts at ${column.default?.sql}, not at 0 or 1`,
        span: column.default?.span ?? column.span,
        help: 'write DEFAULT 1 (the first delivery) or DEFAULT 0 (no delivery yet), or @data beside it',
      },
    ],
  };
}

function mostOf(type: ColumnType): Pick<AttemptColumn, 'most'> {
  if (type.kind !== 'integer' || type.bits === 64) return {};
  return { most: 2 ** (type.unsigned ? type.bits : type.bits - 1) - 1 };
}

/** 0 or 1 as people and dumps write it: `1`, `(1)`, `'1'`, `+1`, `'0'::smallint`. */
function startOf(sql: string): 0 | 1 | undefined {
  const bare = sql.replace(/::\s*[\w\s]+/g, '').replace(/[()\s]/g, '');
  const digits = /^(?:'0*([01])'|\+?0*([01]))$/.exec(bare);
  if (digits === null) return undefined;
  return (digits[1] ?? digits[2]) === '1' ? 1 : 0;
}
