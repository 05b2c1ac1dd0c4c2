import { describe, expect, it } from 'vitest';
import { postgres } from '../../src/dialects/postgres/index.js';
import { sqlite } from '../../src/dialects/sqlite/index.js';
import { findings, read } from './reading.js';

const dump = `\\restrict x
SET search_path = public;
-- see @inbox, not here
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $_$
BEGIN
  CREATE TEMP TABLE x (a int); -- it's; "odd"
  RETURN NEW;
END; $_$;
CREATE TABLE plain (id int, LIKE other, nonsense!!);
COPY plain (id) FROM stdin;
1\t-- @inbox
CREATE TABLE y (\\.
\\.

--
-- Name: jobs; Type: TABLE; Schema: public; Owner: app
--

-- @inbox lease
CREATE TABLE public.jobs (
  id bigint NOT NULL,
  key text DEFAULT '; -- @inbox'
);
INSERT INTO plain VALUES ('
-- @inbox
CREATE TABLE z (a int);');
GRANT ALL ON TABLE public.jobs TO app;
`;

it('reads the annotated tables of a dump and nothing else', () => {
  const { value = [], diagnostics } = read(postgres, dump);
  expect(diagnostics).toEqual([]);
  expect(value.map(({ schema, name }) => `${schema?.text}.${name.text}`)).toEqual(['public.jobs']);
  expect(value[0]?.annotations.description).toEqual([]);
});

it('reads the same from CRLF with a byte order mark', () => {
  const { value = [] } = read(postgres, `\ufeff${dump.replaceAll('\n', '\r\n')}`);
  expect(value[0]?.columns.map(({ ddl }) => ddl)).toEqual([
    'id bigint NOT NULL',
    "key text DEFAULT '; -- @inbox'",
  ]);
});

it("does not read the tables of a trigger's body", () => {
  const trigger = `CREATE TRIGGER g AFTER INSERT ON a BEGIN
    INSERT INTO b SELECT 'CREATE TABLE c (d INT)'; SELECT CASE WHEN 1 THEN 2 END;
  END;
  -- @inbox
  CREATE TABLE jobs (id INTEGER PRIMARY KEY);`;
  expect(read(sqlite, trigger).value?.map(({ name }) => name.text)).toEqual(['jobs']);
});

it('reads every annotated table, in file order', () => {
  const text =
    '-- @inbox\nCREATE TABLE b (x int);\nCREATE TABLE c (x int);\n-- @advisory k\nCREATE TABLE a (x int);';
  expect(read(postgres, text).value?.map(({ name }) => name.text)).toEqual(['b', 'a']);
});

it('goes on behind a table that cannot be read', () => {
  const text = '-- @inbox\nCREATE TABLE b (x int y);\n-- @inbox\nCREATE TABLE a (x int);';
  const { value = [], diagnostics } = read(postgres, text);
  expect(value.map(({ name }) => name.text)).toEqual(['a']);
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
    ['unreadable-table', 'error'],
  ]);
});

describe('an annotation that is attached to nothing', () => {
  const inbox = 'annotation-dangling @inbox is attached to nothing:';

  it.each([
    [
      '-- @inbox\nCREATE UNIQUE INDEX i ON t (a);',
      '1:4',
      'it stands before or in CREATE INDEX, not a CREATE TABLE',
    ],
    [
      '-- @inbox\nALTER TABLE t ADD a int;',
      '1:4',
      'it stands before or in ALTER TABLE, not a CREATE TABLE',
    ],
    [
      '-- @inbox\nINSERT INTO t VALUES (1);',
      '1:4',
      'it stands before or in INSERT, not a CREATE TABLE',
    ],
    [
      '-- @inbox\nCREATE FOREIGN TABLE t (a int) SERVER s;',
      '1:4',
      'it stands before or in CREATE FOREIGN, not a CREATE TABLE',
    ],
    ['CREATE TABLE t (a int);\n-- @inbox\n', '2:4', 'no statement follows it'],
    ['-- @inbox\n', '1:4', 'no statement follows it'],
    ['CREATE TABLE t (a int); -- @inbox\n', '1:28', 'it stands behind the end of a statement'],
    [
      'DO $do$ BEGIN\n-- @inbox\nCREATE TABLE t (a int);\nEND $do$;',
      '2:4',
      'it stands inside the body of DO, which is not read',
    ],
  ])('is an error with its reason: %s', (text, place, why) => {
    expect(findings(postgres, text)).toEqual([`${place} ${inbox} ${why}`]);
  });

  it('is an error in a table that is no queue', () => {
    expect(findings(postgres, 'CREATE TABLE t (\n  a timestamptz -- @locked_until\n);')).toEqual([
      '2:20 annotation-dangling @locked_until is attached to nothing: its table is no queue',
    ]);
  });

  it('stands where a semicolon is missing', () => {
    const text = 'CREATE TABLE a (x int)\n-- @inbox\nCREATE TABLE b (x int);';
    expect(findings(postgres, text)).toEqual([
      '3:1 unreadable-table a semicolon is missing behind table "a"',
    ]);
  });

  it('is no @dialect above a table or the first statement, but is one elsewhere', () => {
    expect(findings(postgres, '-- @dialect postgres\n\nSET x = 1;')).toEqual([]);
    expect(findings(postgres, 'SET x = 1;\n-- @dialect postgres\nCREATE TABLE t (a int);')).toEqual(
      [],
    );
    expect(findings(postgres, 'SET x = 1;\n-- @dialect postgres\nSET y = 1;')[0]).toContain(
      '2:4 annotation-dangling @dialect',
    );
  });
});

it("leaves other tools' annotations alone", () => {
  const text = `/* @name getJob @param id */
SELECT 1;
/**
 * @type {Job}
 * @deprecated
 * @id x
 */
CREATE TABLE t (a int -- @data
);`;
  expect(findings(postgres, text)).toEqual([]);
});

it('reports a misspelt annotation above a table that has no other', () => {
  expect(findings(postgres, '-- @inbx lease\nCREATE TABLE t (a int);')).toEqual([
    '1:4 annotation-unknown @inbx is no annotation',
  ]);
});

it('says where a quote that swallows a queue was opened', () => {
  const text = "INSERT INTO t VALUES ('it's');\n-- @inbox\nCREATE TABLE jobs (id int);";
  expect(findings(postgres, text)).toEqual([
    '1:28 unreadable-table this string never ends, and an annotated table stands behind it',
  ]);
});

it('says its findings in file order', () => {
  const text =
    '-- @inbox\nCREATE TABLE a (\n  x int -- @clok\n  -- @data\n);\n-- @inbox\nDROP TABLE b;';
  const places = findings(postgres, text).map((finding) => finding.split(' ')[0]);
  expect(places).toEqual(['3:12', '4:6', '6:4']);
});

describe('references to a table', () => {
  const referencesOf = (name: string, ...statements: readonly string[]): readonly string[] => {
    const text = [`-- @inbox\nCREATE TABLE ${name} (id bigint primary key)`, ...statements];
    const [table] = read(postgres, `${text.join(';\n')};`).value ?? [];
    return (table?.references ?? []).map(({ source, start, end }) => source.text.slice(start, end));
  };

  it('are those of foreign keys, wherever they stand', () => {
    expect(
      referencesOf(
        'jobs',
        'CREATE TABLE a (job bigint REFERENCES jobs, other bigint REFERENCES others)',
        'ALTER TABLE b ADD FOREIGN KEY (job) REFERENCES "jobs" (id)',
        'CREATE TABLE c (job bigint, FOREIGN KEY (job) REFERENCES app . jobs(id) ON DELETE CASCADE)',
      ),
    ).toEqual(['REFERENCES jobs', 'REFERENCES "jobs"', 'REFERENCES app . jobs']);
  });

  it('are told apart by the schema where both have one', () => {
    const others = ['x.jobs', 'y.jobs', 'jobs'].map(
      (name, index) => `CREATE TABLE t${index} (job bigint REFERENCES ${name})`,
    );
    expect(referencesOf('x.jobs', ...others)).toEqual(['REFERENCES x.jobs', 'REFERENCES jobs']);
  });

  it('are those that mean the primary key', () => {
    const others = ['(id)', '(ID)', '(code)', '(id, code)', ''].map(
      (columns, index) => `CREATE TABLE t${index} (job bigint REFERENCES jobs ${columns})`,
    );
    expect(referencesOf('jobs', ...others)).toHaveLength(3);
  });

  it('are none where there are none', () => {
    expect(referencesOf('jobs', 'GRANT REFERENCES ON jobs TO me')).toEqual([]);
  });
});
