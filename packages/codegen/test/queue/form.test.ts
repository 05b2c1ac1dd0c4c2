import { describe, expect, test } from 'vitest';
import { codesOf, columns, resolved } from '../support/resolving.js';
import { reportColumns, tableOf, types, type ColumnInput } from '../support/tables.js';

const unleased = reportColumns.filter(({ name }) => name !== 'locked_until');
const held: readonly ColumnInput[] = columns({ name: 'busy', type: types.timestamptz });
const annotated = held
  .filter(({ name }) => name !== 'locked_until')
  .map((column) =>
    column.name === 'busy' ? { ...column, annotations: ['@locked_until'] } : column,
  );

function formOf(annotations: readonly string[], given: readonly ColumnInput[]): string | undefined {
  const { value, diagnostics } = resolved(tableOf({ annotations, columns: given }));
  expect(diagnostics).toEqual([]);
  return value?.kind;
}

describe('the form of a queue', () => {
  test('is the one that @inbox says', () => {
    expect(formOf(['@inbox lease'], reportColumns)).toBe('lease');
    expect(formOf(['@inbox row-lock Report'], unleased)).toBe('row-lock');
    expect(formOf(['@inbox advisory Report', '@advisory <id>'], unleased)).toBe('advisory');
  });

  test('without a word is what the table has', () => {
    expect(formOf(['@inbox'], reportColumns)).toBe('lease');
    expect(formOf(['@inbox'], annotated)).toBe('lease');
    expect(formOf(['@inbox Report'], unleased)).toBe('row-lock');
    expect(formOf(['@inbox', '@advisory <id>'], unleased)).toBe('advisory');
  });

  test('is advisory where @advisory stands alone, under the name of the table', () => {
    const { value } = resolved(tableOf({ annotations: ['@advisory <id>'], columns: unleased }));
    expect(value?.kind).toBe('advisory');
    expect(value?.names.row).toBe('ReportJobs');
  });

  test('leaves a column that is told to be data to the row', () => {
    const data = columns({ name: 'locked_until', annotations: ['@data'] });
    const { value } = resolved(tableOf({ annotations: ['@inbox'], columns: data }));
    expect(value?.kind).toBe('row-lock');
    expect(value?.rowColumns.map(({ name }) => name.text)).toContain('locked_until');
  });
});

describe('a form that is contradicted', () => {
  const cases: readonly (readonly [
    readonly string[],
    readonly ColumnInput[],
    readonly string[],
  ])[] = [
    [['@inbox lease', '@advisory <id>'], reportColumns, ['form-conflict']],
    [['@inbox row-lock', '@advisory <id>'], unleased, ['form-conflict']],
    [['@inbox row-lock'], reportColumns, ['form-conflict']],
    [['@inbox row-lock'], annotated, ['form-conflict']],
    [['@inbox', '@advisory <id>'], reportColumns, ['form-conflict']],
    [['@advisory <id>'], annotated, ['form-conflict']],
    [['@inbox row-lock', '@advisory <id>'], reportColumns, ['form-conflict', 'form-conflict']],
    [['@inbox advisory'], unleased, ['lock-key-missing']],
    [['@inbox lease'], unleased, ['lease-column-missing']],
    [['@advisory <id>', '@advisory <id>'], unleased, ['annotation-duplicate']],
  ];
  test.each(cases)('%j', (annotations, given, codes) => {
    expect(codesOf({ annotations, columns: given })).toEqual(codes);
  });

  test('says of a bare name that it may be data, and of an annotation that it may go', () => {
    const helpOf = (given: readonly ColumnInput[]): string | undefined =>
      resolved(tableOf({ annotations: ['@inbox row-lock'], columns: given })).diagnostics[0]?.help;
    expect(helpOf(reportColumns)).toContain('@data');
    expect(helpOf(annotated)).toContain('take @locked_until away');
  });
});

describe('a row lock on SQLite', () => {
  const columnsOf = unleased.map((column) => ({ ...column, castType: 'INTEGER' }));

  test.each([['@inbox'], ['@inbox row-lock']])('is refused: %s', (annotation) => {
    const input = { dialect: 'sqlite' as const, annotations: [annotation], columns: columnsOf };
    const { diagnostics } = resolved(tableOf(input));
    expect(diagnostics.map(({ code }) => code)).toEqual(['form-unsupported']);
    expect(diagnostics[0]?.help).toMatch(/@inbox lease.*locked_until.*@advisory/);
  });

  test('is no question where @advisory or locked_until is there', () => {
    const given = { dialect: 'sqlite' as const, columns: columnsOf };
    expect(codesOf({ ...given, annotations: ['@advisory <id>'] })).toEqual([]);
  });
});
