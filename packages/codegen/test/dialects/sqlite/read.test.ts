import { describe, expect, it } from 'vitest';
import { sqlite } from '../../../src/dialects/sqlite/index.js';
import { columnOf, findings, queueOf, readOne } from '../reading.js';

describe('names', () => {
  it('keep their case, and may stand in any quotes', () => {
    const table = readOne(
      sqlite,
      '-- @inbox\nCREATE TABLE IF NOT EXISTS main.[My Jobs] (Id INT, "b""c" INT, `d` INT, \'e\' INT);',
    );
    expect([table.schema?.text, table.name.text]).toEqual(['main', 'My Jobs']);
    expect(table.columns.map(({ name }) => [name.text, name.quoted])).toEqual([
      ['Id', false],
      ['b"c', true],
      ['d', true],
      ['e', true],
    ]);
  });

  it('are compared without their case', () => {
    expect(queueOf(sqlite, 'Id INT, PRIMARY KEY (ID)').primaryKey).toEqual(['Id']);
    expect(findings(sqlite, '-- @inbox\nCREATE TABLE jobs (a INT, A INT);')).toEqual([
      '2:27 unreadable-table there are two columns "A"',
    ]);
  });

  it('may be words that begin a constraint elsewhere', () => {
    const table = queueOf(sqlite, 'key TEXT, action INT, "check" INT, session INT, status TEXT');
    expect(table.columns).toHaveLength(5);
  });
});

describe('types', () => {
  it('may be missing', () => {
    const table = queueOf(sqlite, 'a, b PRIMARY KEY, c NOT NULL, d DEFAULT 1');
    expect(table.columns.map(({ type, nullable }) => [type.kind, nullable])).toEqual([
      ['unknown', true],
      ['unknown', true],
      ['unknown', false],
      ['unknown', true],
    ]);
    const [first] = table.columns;
    expect(first?.typeSpan.start).toBe(first?.typeSpan.end);
  });

  it('that run over the end of a line are a forgotten comma', () => {
    expect(findings(sqlite, '-- @inbox\nCREATE TABLE jobs (\n  a INTEGER\n  b TEXT\n);')).toEqual([
      '4:3 unreadable-table the type of column "a" runs on to the next line',
    ]);
  });
});

describe('the row number', () => {
  it.each([
    'a INTEGER PRIMARY KEY',
    'a INTEGER PRIMARY KEY ASC',
    'a integer PRIMARY KEY AUTOINCREMENT',
    'a INTEGER NOT NULL PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT',
  ])('is what fills a column: %s', (column) => {
    expect(columnOf(sqlite, column)).toMatchObject({ generated: 'by-default', nullable: false });
  });

  it.each(['a INTEGER, PRIMARY KEY (a)', 'a INTEGER, PRIMARY KEY (a DESC AUTOINCREMENT)'])(
    'is so by a constraint too: %s',
    (body) => {
      expect(queueOf(sqlite, body).columns[0]).toMatchObject({
        generated: 'by-default',
        nullable: false,
      });
    },
  );

  it.each([
    ['a INTEGER PRIMARY KEY DESC', ''],
    ['a INT PRIMARY KEY', ''],
    ['a BIGINT PRIMARY KEY', ''],
    ['a INTEGER(8) PRIMARY KEY', ''],
    ['a TEXT PRIMARY KEY', ''],
  ])('is no other column, and that may be NULL: %s', (column, tail) => {
    const read = columnOf(sqlite, column, tail);
    expect(read.generated).toBeUndefined();
    expect(read.nullable).toBe(true);
  });

  it('is none WITHOUT ROWID, where key columns are not NULL', () => {
    const [a, b, c] = queueOf(
      sqlite,
      'a INTEGER, b TEXT, c TEXT, PRIMARY KEY (a, b)',
      'WITHOUT ROWID',
    ).columns;
    expect([a?.generated, a?.nullable, b?.nullable, c?.nullable]).toEqual([
      undefined,
      false,
      false,
      true,
    ]);
    expect(columnOf(sqlite, 'a INTEGER PRIMARY KEY', 'WITHOUT ROWID').generated).toBeUndefined();
  });

  it('is one in a STRICT table, and its other keys are not NULL', () => {
    expect(columnOf(sqlite, 'a INTEGER PRIMARY KEY', 'STRICT').generated).toBe('by-default');
    expect(columnOf(sqlite, 'a TEXT PRIMARY KEY', 'STRICT').nullable).toBe(false);
    const both = columnOf(sqlite, 'a ANY PRIMARY KEY', 'STRICT, WITHOUT ROWID');
    expect([both.type.kind, both.nullable]).toEqual(['unknown', false]);
  });
});

describe('defaults', () => {
  it.each([
    ['1', '1'],
    ['-1.5', '-1.5'],
    ['+1', '+1'],
    ["'it''s'", "'it''s'"],
    ["X'00'", "X'00'"],
    ['TRUE', 'TRUE'],
    ['CURRENT_TIMESTAMP', 'CURRENT_TIMESTAMP'],
    ['pending', "'pending'"],
    ['"it\'s"', "'it''s'"],
    ['`x`', "'x'"],
    ["(strftime('%s', 'now') * 1000)", "(strftime('%s', 'now') * 1000)"],
    ["(json('{}')/* ; */)", "(json('{}') )"],
  ])('%s is %s', (written, kept) => {
    for (const behind of ['', ' NOT NULL', ' COLLATE NOCASE', ' UNIQUE ON CONFLICT FAIL']) {
      expect(columnOf(sqlite, `a TEXT DEFAULT ${written}${behind}`).default?.sql).toBe(kept);
    }
  });

  it('of NULL are none', () => {
    expect(columnOf(sqlite, 'a TEXT DEFAULT NULL NOT NULL').default).toBeUndefined();
    expect(columnOf(sqlite, 'a TEXT DEFAULT (NULL)').default).toBeUndefined();
  });
});

describe('attributes', () => {
  it.each([
    'a INT REFERENCES p',
    'a INT REFERENCES p (id) ON DELETE SET NULL ON UPDATE NO ACTION MATCH FULL',
    'a INT REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED',
    'a INT REFERENCES p NOT DEFERRABLE',
    'a INT CONSTRAINT c CHECK (a > 0)',
    'a INT UNIQUE ON CONFLICT REPLACE',
    'a INT COLLATE RTRIM',
    'a INT NULL',
  ])('that say nothing of a row are read over: %s', (column) => {
    expect(columnOf(sqlite, column).nullable).toBe(true);
  });

  it.each(['a INT GENERATED ALWAYS AS (1) STORED', 'a INT AS (1)', 'a AS (1) VIRTUAL NOT NULL'])(
    'that compute are seen: %s',
    (column) => {
      expect(columnOf(sqlite, column).generated).toBe('computed');
    },
  );

  it('may stand between constraints without commas', () => {
    const table = queueOf(sqlite, 'a INT, b INT, UNIQUE (a) CHECK (b > 0) PRIMARY KEY (b, a)');
    expect(table.columns).toHaveLength(2);
    expect(table.primaryKey).toEqual(['b', 'a']);
  });

  it('that are none stop the table, at their place', () => {
    expect(findings(sqlite, '-- @inbox\nCREATE TABLE jobs (a INT(1) b);')).toEqual([
      '2:29 unreadable-table "b" cannot be read as a part of column "a"',
    ]);
    expect(findings(sqlite, '-- @inbox\nCREATE TABLE jobs (a INT,, 5 INT);')).toEqual([
      '2:28 unreadable-table "5" is no column name',
    ]);
  });
});
