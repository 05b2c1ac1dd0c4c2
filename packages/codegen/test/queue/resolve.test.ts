import { describe, expect, test } from 'vitest';
import { codesOf, columns, resolvedLease } from '../support/resolving.js';
import { reportColumns, tableOf, types, type ColumnInput } from '../support/tables.js';

describe('a lease table', () => {
  test('plays its roles by name', () => {
    const { value, diagnostics } = resolvedLease(
      tableOf({ annotations: ['@inbox lease RenderReport'], columns: reportColumns }),
    );
    expect(diagnostics).toEqual([]);
    expect(value?.names).toEqual({
      row: 'RenderReport',
      newRow: 'NewRenderReport',
      queue: 'RenderReportQueue',
      key: 'RenderReportKey',
      spec: 'renderReportSpec',
      file: 'report_jobs',
    });
    expect(value?.key.map(({ name }) => name.text)).toEqual(['id']);
    expect(value?.lockedUntil.storage).toEqual({ kind: 'zoned', digits: 6 });
    expect(value?.attempt?.start).toBe(1);
    expect(value?.payload?.name.text).toBe('payload');
    expect(value?.rowColumns.map(({ name }) => name.text)).toEqual(['id', 'attempt', 'payload']);
    expect(value?.insertColumns.map(({ column }) => column.name.text)).toEqual(['payload']);
    expect(value?.clock).toBe('database');
  });

  test('is meant where no form is said and a column plays locked_until', () => {
    expect(codesOf({ annotations: ['@inbox'], columns: reportColumns })).toEqual([]);
    expect(codesOf({ annotations: ['@inbox RenderReport'], columns: reportColumns })).toEqual([]);
  });

  test('plays roles by annotation, whatever the names', () => {
    const { value, diagnostics } = resolvedLease(
      tableOf({
        columns: [
          { name: 'nr', nullable: false, annotations: ['@id'] },
          { name: 'tries', type: types.integer, annotations: ['@attempt'] },
          { name: 'busy_until', type: types.timestamptz, annotations: ['@locked_until'] },
          { name: 'body', type: types.json, annotations: ['@payload'] },
        ],
        primaryKey: [],
      }),
    );
    expect(diagnostics).toEqual([]);
    expect(value?.key.map(({ name }) => name.text)).toEqual(['nr']);
    expect(value?.attempt?.column.name.text).toBe('tries');
    expect(value?.lockedUntil.column.name.text).toBe('busy_until');
    expect(value?.payload?.name.text).toBe('body');
  });

  test('takes a role from a column with @data', () => {
    const { value } = resolvedLease(
      tableOf({ columns: columns({ name: 'attempt', annotations: ['@data'] }) }),
    );
    expect(value?.attempt).toBeUndefined();
    expect(value?.insertColumns.map(({ column }) => column.name.text)).toEqual([
      'attempt',
      'payload',
    ]);
  });

  test('keeps a composite key in the order of the key', () => {
    const key: readonly ColumnInput[] = [
      { name: 'n', type: types.integer, nullable: false },
      { name: 'tenant_id', type: types.bigint, nullable: false },
    ];
    const { value } = resolvedLease(
      tableOf({
        columns: [...key, ...reportColumns.slice(1)],
        primaryKey: ['tenant_id', 'n'],
      }),
    );
    expect(value?.key.map(({ name }) => name.text)).toEqual(['tenant_id', 'n']);
  });

  test('reads @clock host', () => {
    const { value } = resolvedLease(
      tableOf({ annotations: ['@inbox lease', '@clock host'], columns: reportColumns }),
    );
    expect(value?.clock).toBe('host');
  });
});

describe('the key', () => {
  test('must be there', () => {
    expect(codesOf({ columns: reportColumns, primaryKey: [] })).toEqual(['key-missing']);
  });

  test('cannot be taken from a column that is part of it', () => {
    expect(
      codesOf({
        columns: columns({ name: 'tenant', nullable: false, annotations: ['@data'] }),
        primaryKey: ['tenant', 'id'],
      }),
    ).toEqual(['key-missing']);
  });

  test('cannot be named in part', () => {
    expect(
      codesOf({
        columns: columns({ name: 'tenant', nullable: false, annotations: ['@id'] }),
        primaryKey: ['tenant', 'id'],
      }),
    ).toEqual(['key-missing']);
  });

  test('cannot be NULL, unless the database fills it always', () => {
    const [, ...others] = reportColumns;
    const key: ColumnInput = { name: 'id', nullable: true };
    expect(codesOf({ dialect: 'sqlite', columns: [key, ...others] })).toEqual(['key-missing']);
    // A default is no help against a NULL that is given.
    expect(codesOf({ columns: [{ ...key, default: 'hex(randomblob(8))' }, ...others] })).toEqual([
      'key-missing',
    ]);
  });
});

describe('the attempt column', () => {
  const starts: readonly (readonly [string | undefined, 0 | 1])[] = [
    ['1', 1],
    ['0', 0],
    ["'0'::smallint", 0],
    ['(1)', 1],
    ["'1'::smallint", 1],
  ];
  test.each(starts)('with DEFAULT %s starts at %i', (sql, start) => {
    const { value } = resolvedLease(
      tableOf({ columns: columns({ name: 'attempt', default: sql ?? '' }) }),
    );
    expect(value?.attempt?.start).toBe(start);
  });

  test('without a default starts at 1', () => {
    const attempt: ColumnInput = { name: 'attempt', type: types.smallint, nullable: false };
    const others = reportColumns.filter(({ name }) => name !== 'attempt');
    const { value } = resolvedLease(tableOf({ columns: [...others, attempt] }));
    expect(value?.attempt?.start).toBe(1);
  });

  test.each(['5', '-1', "'10'", 'nextval()', '01x'])('cannot start at %s', (sql) => {
    expect(codesOf({ columns: columns({ name: 'attempt', default: sql }) })).toEqual([
      'attempt-default',
    ]);
  });

  test('must be an integer', () => {
    expect(codesOf({ columns: columns({ name: 'attempt', type: types.text }) })).toEqual([
      'attempt-type',
    ]);
  });
});

describe('annotations', () => {
  test('two columns for one role are an error with both places', () => {
    const { diagnostics } = resolvedLease(
      tableOf({
        columns: columns({ name: 'tries', type: types.integer, annotations: ['@attempt'] }),
      }),
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(['role-duplicate']);
    expect(diagnostics[0]?.related?.span).toBeDefined();
    expect(diagnostics[0]?.related?.span).not.toEqual(diagnostics[0]?.span);
  });

  test('two roles for one column are an error', () => {
    expect(
      codesOf({ columns: columns({ name: 'payload', annotations: ['@payload', '@id'] }) }),
    ).toContain('role-duplicate');
  });

  const problems: readonly (readonly [string, readonly string[]])[] = [
    ['annotation-argument', ['@inbox leese']],
    ['annotation-argument', ['@inbox leese RenderReport']],
    ['annotation-argument', ['@inbox lease Render Report']],
    ['annotation-argument', ['@inbox lease', '@clock']],
    ['annotation-argument', ['@inbox lease', '@clock hots']],
    ['annotation-duplicate', ['@inbox lease', '@inbox lease']],
    ['annotation-not-yet', ['@inbox lease', '@max_attempts 3']],
    ['form-conflict', ['@inbox row-lock']],
    ['name-invalid', ['@inbox lease 2fast']],
    ['name-invalid', ['@inbox lease a-b']],
    ['name-invalid', ['@inbox lease string']],
    ['name-invalid', ['@inbox lease Lease']],
    ['name-invalid', ['@inbox lease Date']],
  ];
  test.each(problems)('%s: %j', (code, annotations) => {
    expect(codesOf({ annotations, columns: reportColumns })).toEqual([code]);
  });

  test('a misspelt form is suggested', () => {
    const { diagnostics } = resolvedLease(
      tableOf({ annotations: ['@inbox leese RenderReport'], columns: reportColumns }),
    );
    expect(diagnostics[0]?.help).toBe('did you mean `lease`?');
  });

  test('a role takes nothing behind it, and stands once', () => {
    const [code] = codesOf({
      columns: columns({ name: 'payload', annotations: ['@payload json'] }),
    });
    expect(code).toBe('annotation-argument');
    expect(
      codesOf({ columns: columns({ name: 'payload', annotations: ['@payload', '@payload'] }) }),
    ).toEqual(['annotation-duplicate']);
  });
});

test('everything wrong with a table is found at once', () => {
  expect(
    codesOf({
      annotations: ['@inbox lease 1', '@clock x'],
      columns: columns(
        { name: 'locked_until', nullable: false },
        { name: 'attempt', default: '7' },
        { name: 'a_b' },
        { name: 'aB' },
      ),
      primaryKey: [],
    }),
  ).toEqual([
    'name-invalid',
    'key-missing',
    'annotation-argument',
    'lease-column-not-null',
    'attempt-default',
    'property-duplicate',
  ]);
});

test('an unknown type is a warning that names the column', () => {
  const { value, diagnostics } = resolvedLease(
    tableOf({ columns: columns({ name: 'shape', type: { kind: 'unknown' } }) }),
  );
  expect(value).toBeDefined();
  expect(diagnostics).toMatchObject([{ code: 'column-type-unknown', severity: 'warning' }]);
  expect(diagnostics[0]?.message).toContain('"shape"');
});
