import { describe, expect, test } from 'vitest';
import type { Column, ColumnType, DialectName } from '../../src/table/table.js';
import { codesOf, resolved } from '../support/resolving.js';
import { tableOf, types, type ColumnInput, type TableInput } from '../support/tables.js';

const id: ColumnInput = { name: 'id', type: types.bigint, nullable: false };
const tenant: ColumnInput = { name: 'tenant', nullable: false };

/** The lock key of a table with these columns, a column as its name in brackets. */
function keyOf(template: string, ...given: readonly ColumnInput[]): readonly string[] | undefined {
  const table = tableOf({ annotations: [`@advisory ${template}`], columns: [id, ...given] });
  const { value } = resolved(table);
  if (value?.kind !== 'advisory') return undefined;
  const shown = (part: string | Column): string =>
    typeof part === 'string' ? part : `[${part.name.text}]`;
  return value.lockKey.map(shown);
}

describe('the template of a lock key', () => {
  const templates: readonly (readonly [string, readonly string[]])[] = [
    ['<id>', ['[id]']],
    ['jobs-<id>', ['jobs-', '[id]']],
    ['<tenant>-<id>.', ['[tenant]', '-', '[id]', '.']],
    ['<id><id>', ['[id]', '[id]']],
    ['a<<b>><id>', ['a<b>>', '[id]']],
    ['<<<id>', ['<', '[id]']],
    ['<id>>', ['[id]', '>']],
    ['it\'s \\ "so" <id> 漢', ['it\'s \\ "so" ', '[id]', ' 漢']],
    ['<ID>', ['[id]']],
  ];
  test.each(templates)('%s', (template, parts) => {
    expect(keyOf(template, tenant)).toEqual(parts);
  });

  const wrong: readonly (readonly [string, string, string])[] = [
    ['', 'lock-key-missing', '@advisory'],
    ['jobs', 'lock-key-invalid', 'jobs'],
    ['jobs-<<id>', 'lock-key-invalid', 'jobs-<<id>'],
    ['<id>-<tenant', 'lock-key-invalid', '<'],
    ['<>', 'lock-key-invalid', '<>'],
    ['<id>-<tennant>', 'lock-key-invalid', '<tennant>'],
    ['< id>', 'lock-key-invalid', '< id>'],
  ];
  test.each(wrong)('%j is %s', (template, code, place) => {
    const table = tableOf({
      annotations: [template === '' ? '@advisory' : `@advisory ${template}`],
      columns: [id, tenant],
    });
    const { value, diagnostics } = resolved(table);
    expect(value).toBeUndefined();
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    const span = diagnostics[0]?.span;
    expect(span?.source.text.slice(span.start, span.end)).toBe(place);
  });

  test('of which a column is misspelt gets a suggestion', () => {
    const table = tableOf({ annotations: ['@advisory <tennant>'], columns: [id, tenant] });
    expect(resolved(table).diagnostics[0]?.help).toBe('did you mean <tenant>?');
  });

  test('means a quoted name to the letter', () => {
    const quoted = tableOf({ annotations: ['@advisory <Tenant>'], columns: [id, tenant] });
    const [first, second] = quoted.columns;
    if (first === undefined || second === undefined) throw new Error('no columns');
    const name = { ...second.name, quoted: true };
    const table = { ...quoted, columns: [first, { ...second, name }] };
    expect(resolved(table).diagnostics.map(({ code }) => code)).toEqual(['lock-key-invalid']);
  });
});

describe('a column of a lock key', () => {
  test('cannot be NULL', () => {
    const input: TableInput = {
      annotations: ['@advisory <tenant>'],
      columns: [id, { name: 'tenant', nullable: true }],
    };
    expect(codesOf(input)).toEqual(['lock-key-null']);
  });

  const typed: readonly (readonly [ColumnType, DialectName, string, boolean])[] = [
    [types.bigint, 'postgres', 'BIGINT', true],
    [types.text, 'mysql', 'VARCHAR(20)', true],
    [{ kind: 'uuid' }, 'postgres', 'UUID', true],
    [{ kind: 'boolean' }, 'sqlite', 'BOOLEAN', true],
    [{ kind: 'decimal' }, 'postgres', 'NUMERIC(10)', true],
    [{ kind: 'decimal' }, 'postgres', 'numeric ( 10 , 0 )', true],
    [{ kind: 'decimal' }, 'mysql', 'DECIMAL', true],
    [{ kind: 'decimal' }, 'mariadb', 'DECIMAL UNSIGNED', true],
    [{ kind: 'decimal' }, 'postgres', 'NUMERIC', false],
    [{ kind: 'decimal' }, 'postgres', 'NUMERIC(10, 2)', false],
    [{ kind: 'decimal' }, 'postgres', 'NUMERIC(10, -2)', false],
    [{ kind: 'decimal' }, 'sqlite', 'NUMERIC', false],
    [{ kind: 'bytes' }, 'mysql', 'BINARY(16)', true],
    [{ kind: 'bytes' }, 'mysql', 'VARBINARY(16)', false],
    [{ kind: 'bytes' }, 'mysql', 'BINARY(20)', false],
    [{ kind: 'bytes' }, 'postgres', 'BYTEA', false],
    [{ kind: 'float' }, 'postgres', 'REAL', false],
    [types.json, 'postgres', 'JSONB', false],
    [{ kind: 'date' }, 'postgres', 'DATE', false],
    [{ kind: 'time' }, 'postgres', 'TIME', false],
    [types.timestamptz, 'postgres', 'TIMESTAMPTZ', false],
  ];
  test.each(typed)('of the type %j on %s, written %s: %j', (type, dialect, written, fits) => {
    const table = tableOf({
      dialect,
      annotations: ['@advisory <tenant>'],
      columns: [id, { name: 'tenant', type, nullable: false }],
    });
    const columns = table.columns.map((column) =>
      column.name.text === 'tenant' ? { ...column, typeSpan: writtenSpan(written) } : column,
    );
    const { diagnostics } = resolved({ ...table, columns });
    expect(diagnostics.map(({ code }) => code)).toEqual(fits ? [] : ['lock-key-type']);
  });

  test('of a type that is not known is refused beside the warning', () => {
    const column: ColumnInput = { name: 'tenant', type: { kind: 'unknown' }, nullable: false };
    expect(codesOf({ annotations: ['@advisory <tenant>'], columns: [id, column] })).toEqual([
      'lock-key-type',
      'column-type-unknown',
    ]);
  });
});

function writtenSpan(text: string): Column['typeSpan'] {
  return { source: { path: 'type.sql', text }, start: 0, end: text.length };
}
