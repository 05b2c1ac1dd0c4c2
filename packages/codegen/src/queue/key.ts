import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Column, Table } from '../table/table.js';
import { annotationNamed } from './annotation-arguments.js';
import { traitsOf } from './roles.js';

/**
 * The key's columns in key order. Finds `key-missing`: no key, a key of which a part was taken or
 * named alone, and a key column that may be NULL (SQLite allows that, with a default too).
 */
export function keyOf(table: Table, players: readonly Column[]): Result<readonly Column[]> {
  const primary = table.primaryKey.flatMap(
    (name) => table.columns.find((column) => column.name.text === name) ?? [],
  );
  if (players.length === 0) return missing(table);
  const left = primary.find((column) => !players.includes(column));
  if (left !== undefined && players.every((column) => primary.includes(column))) {
    return partial(left, primary);
  }
  const key = left === undefined && primary.length === players.length ? primary : players;
  const diagnostics = key.flatMap((column) => nullableKey(column));
  return diagnostics.length === 0 ? { value: key, diagnostics } : { diagnostics };
}

function missing(table: Table): Result<never> {
  return {
    diagnostics: [
      {
        code: 'key-missing',
        severity: 'error',
        message: `table "${table.name.text}" has no key, so no statement can name one of its rows`,
        span: table.name.span,
        help: keyHelp(table),
      },
    ],
  };
}

function keyHelp(table: Table): string {
  const id = table.columns.find(({ name }) => name.text === 'id');
  return id === undefined
    ? `add ${traitsOf(table).keyExample}, or write @id beside the columns that are unique`
    : 'make "id" the PRIMARY KEY, or write @id beside the columns that are unique';
}

function partial(left: Column, primary: readonly Column[]): Result<never> {
  const names = primary.map(({ name }) => `"${name.text}"`).join(', ');
  const taken = annotationNamed(left.annotations, 'data');
  return {
    diagnostics: [
      {
        code: 'key-missing',
        severity: 'error',
        message: `the key is (${names}), and "${left.name.text}" is left out of it`,
        span: taken?.span ?? left.name.span,
        help:
          taken === undefined
            ? 'write @id beside every column of the key, or beside none'
            : 'take @data away: a part of a key does not name a row',
      },
    ],
  };
}

function nullableKey(column: Column): readonly Diagnostic[] {
  if (!column.nullable || column.generated !== undefined) return [];
  return [
    {
      code: 'key-missing',
      severity: 'error',
      message: `the key "${column.name.text}" may be NULL, and a row without a key cannot be settled`,
      span: column.span,
      help: 'add NOT NULL',
    },
  ];
}
