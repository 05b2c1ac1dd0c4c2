import { describe, expect, test } from 'vitest';
import { familiesOf } from '../../src/queue/families.js';
import type { Queue } from '../../src/queue/queue.js';
import { resolved } from '../support/resolving.js';
import {
  reportColumns,
  tableOf,
  types,
  type ColumnInput,
  type TableInput,
} from '../support/tables.js';

function queueOf(input: TableInput): Queue {
  const { value, diagnostics } = resolved(tableOf(input));
  if (value === undefined) throw new Error(JSON.stringify(diagnostics.map(({ code }) => code)));
  return value;
}

const sqliteColumns: readonly ColumnInput[] = [
  { name: 'id', type: types.bigint, generated: 'by-default', ddl: 'id INTEGER PRIMARY KEY' },
  { name: 'attempt', type: types.bigint, nullable: false, default: '1' },
  { name: 'locked_until', type: types.bigint },
  { name: 'payload', type: types.text, nullable: false },
];

function both(
  postgres: readonly ColumnInput[] = [],
  sqlite: readonly ColumnInput[] = [],
): readonly [Queue, Queue] {
  const withChanges = (base: readonly ColumnInput[], changes: readonly ColumnInput[]) => [
    ...base.map((column) => ({ ...column, ...changes.find(({ name }) => name === column.name) })),
    ...changes.filter(({ name }) => !base.some((column) => column.name === name)),
  ];
  return [
    queueOf({ columns: withChanges(reportColumns, postgres) }),
    queueOf({ dialect: 'sqlite', columns: withChanges(sqliteColumns, sqlite) }),
  ];
}

function codesOf(queues: readonly Queue[]): readonly string[] {
  return familiesOf(queues).diagnostics.map(({ code }) => code);
}

describe('two dialects of a table', () => {
  test('are one class with the widest integers and JSON over text payloads', () => {
    const { value, diagnostics } = familiesOf(both());
    expect(diagnostics).toEqual([]);
    const [family] = value ?? [];
    expect(family?.queues.map(({ dialect }) => dialect)).toEqual(['postgres', 'sqlite']);
    expect(family?.properties.map(({ name, role, type }) => [name, role, type.kind])).toEqual([
      ['id', 'id', 'integer'],
      ['attempt', 'attempt', 'integer'],
      ['payload', 'payload', 'json'],
    ]);
    expect(family?.properties[0]?.type).toMatchObject({ bits: 64 });
  });

  test('flag a column that has a default in one of them', () => {
    const { value } = familiesOf(
      both(
        [{ name: 'note', nullable: false, default: "'x'" }],
        [{ name: 'note', nullable: false }],
      ),
    );
    const [family] = value ?? [];
    const note = family?.properties.find(({ name }) => name === 'note');
    expect(note?.given).toEqual({ required: true, nullable: false, flagged: true });
    for (const queue of family?.queues ?? []) {
      const flags = queue.insertColumns.map(({ column, flagged }) => [column.name.text, flagged]);
      expect(flags).toEqual([
        ['payload', false],
        ['note', true],
      ]);
    }
  });

  test('take the order of the first, whatever the other declares', () => {
    const { value } = familiesOf(
      both([{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }]),
    );
    const orders = value?.[0]?.queues.map(({ rowColumns }) =>
      rowColumns.map(({ name }) => name.text),
    );
    expect(orders).toEqual([
      ['id', 'attempt', 'payload', 'a', 'b'],
      ['id', 'attempt', 'payload', 'a', 'b'],
    ]);
  });

  test('may both be NULL where one may, and be given as NULL where both take it', () => {
    const { value } = familiesOf(both([{ name: 'a' }], [{ name: 'a', nullable: false }]));
    const property = value?.[0]?.properties.find(({ name }) => name === 'a');
    expect(property).toMatchObject({
      nullable: true,
      given: { required: true, nullable: false, flagged: false },
    });
  });

  test('need a key from the caller where only one of them fills it', () => {
    const id: ColumnInput = { name: 'id', type: types.bigint, nullable: false };
    const postgres = queueOf({ columns: [id, ...reportColumns.slice(1)] });
    const { value, diagnostics } = familiesOf([postgres, both()[1]]);
    expect(diagnostics).toEqual([]);
    expect(value?.[0]?.properties[0]?.given).toEqual({
      required: true,
      nullable: false,
      flagged: false,
    });
  });

  test('read text of several kinds as one text', () => {
    const { value } = familiesOf(
      both([{ name: 'a', type: { kind: 'uuid' } }], [{ name: 'a', type: types.text }]),
    );
    expect(value?.[0]?.properties.find(({ name }) => name === 'a')?.type).toEqual(types.text);
  });

  const conflicts: readonly (readonly [string, ColumnInput[], ColumnInput[]])[] = [
    ['column-type-conflict', [{ name: 'a', type: types.json }], [{ name: 'a' }]],
    [
      'column-type-conflict',
      [{ name: 'a', type: { kind: 'boolean' } }],
      [{ name: 'a', type: types.integer }],
    ],
    ['columns-differ', [{ name: 'a' }], []],
    ['columns-differ', [], [{ name: 'a' }]],
    ['columns-differ', [], [{ name: 'attempt', default: '0' }]],
    ['columns-differ', [{ name: 'a' }], [{ name: 'a', generated: 'computed' }]],
    ['columns-differ', [{ name: 'payload', annotations: ['@data'] }], []],
  ];
  test.each(conflicts)('%s between %j and %j, with both places', (code, postgres, sqlite) => {
    const { diagnostics } = familiesOf(both(postgres, sqlite));
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    const paths = [diagnostics[0]?.span, diagnostics[0]?.related?.span].map(
      (span) => span?.source.path,
    );
    expect(new Set(paths)).toEqual(new Set(['postgres.sql', 'sqlite.sql']));
  });

  test('must have the same clock', () => {
    const [, sqlite] = both();
    const host = queueOf({ annotations: ['@inbox lease', '@clock host'], columns: reportColumns });
    expect(codesOf([host, sqlite])).toEqual(['clock-differs']);
  });

  test('must have the key in the same order', () => {
    const key: readonly ColumnInput[] = [
      { name: 'a', nullable: false },
      { name: 'b', nullable: false },
    ];
    const keyed = (dialect: 'postgres' | 'sqlite', primaryKey: readonly string[]): Queue =>
      queueOf({
        dialect,
        columns: [...key, { name: 'locked_until', type: types.bigint }],
        primaryKey,
      });
    expect(codesOf([keyed('postgres', ['a', 'b']), keyed('sqlite', ['b', 'a'])])).toEqual([
      'columns-differ',
    ]);
  });

  test('must have the same name', () => {
    const [, sqlite] = both();
    const named = queueOf({ annotations: ['@inbox lease Other'], columns: reportColumns });
    expect(codesOf([named, sqlite])).toEqual(['queue-name-duplicate']);
  });
});

describe('tables of one dialect', () => {
  const named = (name: string, annotation = '@inbox lease'): Queue =>
    queueOf({ name, annotations: [annotation], columns: reportColumns });

  test('cannot be one queue twice, nor one file, nor one name', () => {
    expect(codesOf([named('jobs'), named('jobs')])).toEqual(['queue-name-duplicate']);
    expect(codesOf([named('jobs'), named('Jobs', '@inbox lease Other')])).toEqual([
      'queue-name-duplicate',
    ]);
    expect(codesOf([named('a_b'), named('ab', '@inbox lease AB')])).toEqual([
      'queue-name-duplicate',
    ]);
    expect(codesOf([named('report'), named('new_report')])).toEqual(['queue-name-duplicate']);
    expect(codesOf([named('job'), named('jobs')])).toEqual([]);
  });

  test('come in the order of their files, whatever the order of the sources', () => {
    const files = (queues: readonly Queue[]): readonly string[] =>
      familiesOf(queues).value?.map(({ names }) => names.file) ?? [];
    expect(files([named('b'), named('a')])).toEqual(['a', 'b']);
    expect(files([named('a'), named('b')])).toEqual(['a', 'b']);
  });
});

describe('a key that a default fills', () => {
  const required = (...dialects: readonly ('mysql' | 'mariadb')[]): boolean | undefined => {
    const queues = dialects.map((dialect) =>
      queueOf({
        dialect,
        columns: [
          { name: 'id', nullable: false, default: '(UUID())' },
          { name: 'locked_until', type: types.bigint },
        ],
      }),
    );
    return familiesOf(queues).value?.[0]?.properties[0]?.given?.required;
  };

  test('is given where the database does not answer what it inserted', () => {
    expect(required('mariadb')).toBe(false);
    expect(required('mysql')).toBe(true);
    expect(required('mysql', 'mariadb')).toBe(true);
  });
});

describe('the form of a family', () => {
  const given: readonly ColumnInput[] = [
    { name: 'id', type: types.bigint, nullable: false },
    { name: 'locked_until', type: types.bigint },
    { name: 'payload', type: types.text },
  ];
  const unleased = given.filter(({ name }) => name !== 'locked_until');
  const lease = (dialect: 'postgres' | 'sqlite') => queueOf({ dialect, columns: given });
  const advisory = (dialect: 'postgres' | 'sqlite', ...more: readonly string[]) =>
    queueOf({ dialect, annotations: ['@advisory <id>', ...more], columns: unleased });
  const custom = '@custom lock unlock';

  test('is one', () => {
    expect(codesOf([lease('postgres'), lease('sqlite')])).toEqual([]);
    expect(codesOf([advisory('postgres'), advisory('sqlite')])).toEqual([]);
    expect(codesOf([lease('postgres'), advisory('sqlite')])).toEqual(['form-differs']);
    expect(codesOf([advisory('postgres'), lease('sqlite')])).toEqual(['form-differs']);
  });

  test('has its lock in functions everywhere or nowhere', () => {
    expect(codesOf([advisory('postgres', custom), advisory('sqlite', custom)])).toEqual([]);
    expect(codesOf([advisory('postgres', custom), advisory('sqlite')])).toEqual(['form-differs']);
    const sql = advisory('postgres', '@lock f(:key)', '@unlock g(:key)');
    expect(codesOf([sql, advisory('sqlite', custom)])).toEqual(['form-differs']);
    expect(codesOf([sql, advisory('sqlite')])).toEqual([]);
  });
});
