import { describe, expect, it } from 'vitest';
import { postgres } from '../../../src/dialects/postgres/index.js';
import { columnOf, findings, queueOf, readOne } from '../reading.js';

const names = (body: string, tail = ''): readonly string[] =>
  queueOf(postgres, body, tail).columns.map(({ name }) => name.text);

describe("a table's header", () => {
  it.each([
    'CREATE TABLE jobs',
    'create temp table if not exists Jobs',
    'CREATE UNLOGGED TABLE public.jobs',
    'CREATE GLOBAL TEMPORARY TABLE "jobs"',
    'CREATE TABLE app.public.jobs',
  ])('is read: %s', (header) => {
    expect(readOne(postgres, `-- @inbox\n${header} (id int);`).name.text).toBe('jobs');
  });

  it('keeps the schema, and whether a name was quoted', () => {
    const table = readOne(postgres, '-- @inbox\nCREATE TABLE "My Schema"."A.""b" (id int);');
    expect(table.schema).toMatchObject({ text: 'My Schema', quoted: true });
    expect(table.name).toMatchObject({ text: 'A."b', quoted: true });
  });

  it.each([
    ['CREATE TABLE {{ .schema }}.jobs (a int);', 'the name of the table is a template'],
    ['CREATE TABLE ${prefix}jobs (a int);', 'the name of the table is a template'],
    ['CREATE TABLE jobs AS SELECT 1 AS a;', 'table "jobs" takes its columns from a query'],
    ['CREATE TABLE jobs (a) AS SELECT 1;', 'table "jobs" takes its columns from a query'],
    [
      'CREATE TABLE jobs PARTITION OF p DEFAULT;',
      'table "jobs" is a partition: its columns are its parent table\'s',
    ],
    ['CREATE TABLE jobs OF job_type;', 'table "jobs" takes its columns from a type'],
    ['CREATE TABLE jobs () INHERITS (p);', 'table "jobs" takes columns from a parent table'],
    ['CREATE TABLE jobs (LIKE p, a int);', 'table "jobs" takes columns from another table'],
    ['CREATE TABLE jobs ();', 'table "jobs" has no columns'],
    ['CREATE TABLE (a int);', 'the name of the table is missing'],
    ['CREATE TABLE', 'the name of the table is missing'],
  ])('that says too little is an error of a queue: %s', (sql, message) => {
    const [finding] = findings(postgres, `-- @inbox\n${sql}`);
    expect(finding).toContain(`unreadable-table ${message}`);
    expect(findings(postgres, sql)).toEqual([]);
  });
});

describe('what follows the columns', () => {
  it.each([
    'WITH (fillfactor = 90)',
    'PARTITION BY RANGE (a)',
    'TABLESPACE fast',
    'ON COMMIT DROP',
    'USING heap WITH (autovacuum_enabled = false)',
  ])('is no matter: %s', (tail) => {
    expect(names('a int', tail)).toEqual(['a']);
  });
});

describe('elements', () => {
  it('are columns by any name that is no reserved word', () => {
    const body = `key text, "check" int, "like" int, comment text, period text, index int,
      exclude text, value int, storage int, "Order" int, "a""b" int, größe int`;
    expect(names(body)).toEqual([
      'key',
      'check',
      'like',
      'comment',
      'period',
      'index',
      'exclude',
      'value',
      'storage',
      'Order',
      'a"b',
      'größe',
    ]);
  });

  it('are constraints otherwise, and those are skipped', () => {
    const body = `a int, r int4range,
      CONSTRAINT x UNIQUE NULLS NOT DISTINCT (a) INCLUDE (r) WITH (fillfactor = 70),
      CHECK (a > 0) NO INHERIT,
      FOREIGN KEY (a) REFERENCES p ON DELETE SET NULL (a) DEFERRABLE INITIALLY DEFERRED,
      EXCLUDE USING gist (r WITH &&) WHERE (a IS NOT NULL),
      CONSTRAINT c NOT NULL a`;
    expect(names(body)).toEqual(['a', 'r']);
  });

  it('may begin with their comma', () => {
    expect(names('a int\n, b int\n, c int')).toEqual(['a', 'b', 'c']);
  });

  it('need no blank between name and type', () => {
    expect(names('"a"int,"b"int')).toEqual(['a', 'b']);
  });
});

describe('attributes', () => {
  it.each([
    'a int REFERENCES p',
    'a int REFERENCES s.p (id) MATCH FULL ON DELETE NO ACTION ON UPDATE SET DEFAULT',
    'a int REFERENCES p NOT DEFERRABLE INITIALLY IMMEDIATE',
    'a int CONSTRAINT c CHECK (a > 0 AND a IS NOT NULL) NO INHERIT',
    'a text COLLATE pg_catalog."C"',
    'a text STORAGE external COMPRESSION lz4',
    'a int UNIQUE NULLS NOT DISTINCT',
    'a int UNIQUE WITH (fillfactor = 70) USING INDEX TABLESPACE fast',
    'a int CHECK (a > 0) NOT ENFORCED',
    'a int NULL',
    'a text CHECK (length(trim(both from a)) > 0)',
  ])('that say nothing of a row are read over: %s', (column) => {
    const read = columnOf(postgres, column);
    expect(read.nullable).toBe(true);
    expect(read.default).toBeUndefined();
  });

  it('are found wherever they stand', () => {
    const column = columnOf(postgres, `a text NOT NULL COLLATE "C" DEFAULT 'x' UNIQUE`);
    expect(column.nullable).toBe(false);
    expect(column.default?.sql).toBe("'x'");
  });

  it('that are none stop the table, at their place', () => {
    expect(findings(postgres, '-- @inbox\nCREATE TABLE jobs (\n  a int\n  b int\n);')).toEqual([
      '4:3 unreadable-table "b" cannot be read as a part of column "a"',
    ]);
  });
});

describe('NOT NULL', () => {
  it('is said, or implied by a key, a serial or an identity', () => {
    const nullable = (column: string): boolean => columnOf(postgres, column).nullable;
    expect(nullable('a int')).toBe(true);
    expect(nullable('a int NOT NULL')).toBe(false);
    expect(nullable('a int CONSTRAINT c NOT NULL')).toBe(false);
    expect(nullable('a int PRIMARY KEY')).toBe(false);
    expect(nullable('a bigserial')).toBe(false);
    expect(nullable('a int GENERATED BY DEFAULT AS IDENTITY')).toBe(false);
    expect(nullable('a int GENERATED ALWAYS AS (1) STORED')).toBe(true);
  });

  it('has its place where it is said', () => {
    const text = '-- @inbox\nCREATE TABLE jobs (a int  NOT  NULL);';
    const [column] = readOne(postgres, text).columns;
    expect(text.slice(column?.notNullSpan?.start, column?.notNullSpan?.end)).toBe('NOT  NULL');
  });
});

describe('the primary key', () => {
  it('is beside a column or a constraint, in key order', () => {
    expect(queueOf(postgres, 'a int PRIMARY KEY, b int').primaryKey).toEqual(['a']);
    expect(queueOf(postgres, 'a int, "B" int, PRIMARY KEY ("B", A)').primaryKey).toEqual([
      'B',
      'a',
    ]);
    const named = 'a int, b int, CONSTRAINT k PRIMARY KEY (b) INCLUDE (a) WITH (fillfactor = 9)';
    expect(queueOf(postgres, named).primaryKey).toEqual(['b']);
    expect(queueOf(postgres, 'a int').primaryKey).toEqual([]);
  });

  it('of another column is an error', () => {
    expect(findings(postgres, '-- @inbox\nCREATE TABLE jobs (a int, PRIMARY KEY ("A"));')).toEqual([
      '2:14 unreadable-table the primary key of table "jobs" names "A", which is no column of it',
    ]);
  });
});

describe('what fills a column', () => {
  it.each([
    ['a bigserial', 'by-default'],
    ['a serial4 PRIMARY KEY', 'by-default'],
    ['a int GENERATED BY DEFAULT AS IDENTITY (START 5)', 'by-default'],
    ['a int GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'always'],
    ['a int GENERATED ALWAYS AS (1 + 1) STORED', 'computed'],
    ['a int GENERATED ALWAYS AS (1) VIRTUAL NOT NULL', 'computed'],
    ['a int GENERATED ALWAYS AS (1)', 'computed'],
  ])('is said: %s', (column, generated) => {
    expect(columnOf(postgres, column).generated).toBe(generated);
  });
});

describe('a default', () => {
  it.each([
    ['1', '1'],
    ['-1', '-1'],
    ["'{}'::jsonb", "'{}'::jsonb"],
    ["'x'::storage.kind", "'x'::storage.kind"],
    ["'x'::character varying(3)", "'x'::character varying(3)"],
    ['now()  AT  TIME ZONE $$utc$$', 'now() AT TIME ZONE $$utc$$'],
    ["'now'::timestamp with time zone", "'now'::timestamp with time zone"],
    ["nextval('s'::regclass)", "nextval('s'::regclass)"],
    ['(SELECT /* why; */ 1)', '(SELECT 1)'],
    ['1 IS NOT NULL', '1 IS NOT NULL'],
    ['1 IS NOT DISTINCT FROM NULL', '1 IS NOT DISTINCT FROM NULL'],
    ['CASE WHEN true THEN NULL ELSE 1 END', 'CASE WHEN true THEN NULL ELSE 1 END'],
    ['ARRAY[1, 2]::int[]', 'ARRAY[1, 2]::int[]'],
    ["E'a\\nb' || 'c'", "E'a\\nb' || 'c'"],
    ["'a'\n  'b'", "'a'\n'b'"],
    ['CURRENT_TIMESTAMP(3)', 'CURRENT_TIMESTAMP(3)'],
  ])('is kept as written: %s', (written, kept) => {
    for (const behind of ['', ' NOT NULL', ' CHECK (true)', ' PRIMARY KEY', ' NULL']) {
      expect(columnOf(postgres, `a text DEFAULT ${written}${behind}`).default?.sql).toBe(kept);
    }
    expect(columnOf(postgres, `a text DEFAULT ${written} NOT NULL`).nullable).toBe(false);
  });

  it.each(['NULL', 'NULL::character varying', '(NULL)', 'null'])('of %s is none', (written) => {
    const column = columnOf(postgres, `a text DEFAULT ${written} NOT NULL`);
    expect(column.default).toBeUndefined();
    expect(column.nullable).toBe(false);
  });
});

describe("a column's DDL", () => {
  it('is its text on one line without its comments', () => {
    const column = columnOf(postgres, '\n  a   text -- it is\n    DEFAULT /* x */ $$b  c$$\n');
    expect(column.ddl).toBe('a text DEFAULT $$b  c$$');
  });

  it('has its place', () => {
    const text = '-- @inbox\nCREATE TABLE jobs (\n  a  varchar( 20 )  NOT NULL, -- x\n  b int\n);';
    const [column] = readOne(postgres, text).columns;
    expect(text.slice(column?.span.start, column?.span.end)).toBe('a  varchar( 20 )  NOT NULL');
    expect(text.slice(column?.typeSpan.start, column?.typeSpan.end)).toBe('varchar( 20 )');
    expect(text.slice(column?.name.span.start, column?.name.span.end)).toBe('a');
  });
});

it('refuses a column that stands twice', () => {
  expect(findings(postgres, '-- @inbox\nCREATE TABLE jobs (a int, A text, "A" int);')).toEqual([
    '2:27 unreadable-table there are two columns "a"',
  ]);
});
