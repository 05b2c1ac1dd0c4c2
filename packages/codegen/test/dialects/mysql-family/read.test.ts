import { describe, expect, it } from 'vitest';
import { quote } from '../../../src/dialects/mysql-family/quote.js';
import { mariadb } from '../../../src/dialects/mariadb/index.js';
import { mysql } from '../../../src/dialects/mysql/index.js';
import { columnOf, findings, queueOf, read, readOne, said } from '../reading.js';

describe.each([mysql, mariadb])('$name reads names', (dialect) => {
  it('in backticks, bare, and in double quotes where a name is due', () => {
    const table = readOne(
      dialect,
      '-- @inbox\nCREATE TABLE IF NOT EXISTS `app`.`My Jobs` (`a``b` INT, Id INT, "c" INT, 2fa INT, `d"` INT);',
    );
    expect([table.schema?.text, table.name.text]).toEqual(['app', 'My Jobs']);
    expect(table.columns.map(({ name }) => name.text)).toEqual(['a`b', 'Id', 'c', '2fa', 'd"']);
  });

  it('without their case', () => {
    expect(queueOf(dialect, 'Id INT, PRIMARY KEY (`ID`)').primaryKey).toEqual(['Id']);
    expect(findings(dialect, '-- @inbox\nCREATE TABLE jobs (a INT, A INT);')).toEqual([
      '2:27 unreadable-table there are two columns "A"',
    ]);
  });

  it('and puts back what is a function before a parenthesis', () => {
    expect(['jobs', 'count', 'Jobs', 'order', 'a`b'].map((name) => quote(name))).toEqual([
      'jobs',
      '`count`',
      '`Jobs`',
      '`order`',
      '`a``b`',
    ]);
  });
});

describe.each([mysql, mariadb])('$name reads comments', (dialect) => {
  it('behind # and behind two dashes and a blank', () => {
    const table = readOne(
      dialect,
      '# A job.\n-- @inbox\nCREATE TABLE jobs ( # the table\n  a INT, # @data\n  b INT --\t@attempt\n);',
    );
    expect(table.annotations.description).toEqual(['A job.', 'the table']);
    expect(table.columns.map(({ annotations }) => annotations.annotations[0]?.name)).toEqual([
      'data',
      'attempt',
    ]);
  });

  it('and complains of two dashes without a blank', () => {
    const text = '--@inbox lease\nCREATE TABLE jobs (a INT);\n--@nothing\nSELECT 1--1;';
    expect(findings(dialect, text)).toEqual([
      '1:1 annotation-dangling @inbox is attached to nothing: here two dashes begin a comment only with a blank behind them',
    ]);
    expect(
      findings(dialect, '-- @inbox\nCREATE TABLE jobs (\n  a INT --@id\n);').map((finding) =>
        finding.replace(/ [^ ]+ attached.*/, ''),
      ),
    ).toEqual([
      '3:9 annotation-dangling @id',
      '3:9 unreadable-table "-" cannot be read as a part of column "a"',
    ]);
  });

  it('of which code ones are code where they are for it', () => {
    const [a, b, c, d] = queueOf(
      dialect,
      'a INT /*! NOT NULL */, b INT /*!50100 NOT NULL */, c INT /*M!100100 NOT NULL */, d INT /*!80023 NOT NULL */',
    ).columns;
    expect([a?.nullable, b?.nullable]).toEqual([false, false]);
    expect([c?.nullable, d?.nullable]).toEqual(
      dialect.name === 'mariadb' ? [false, true] : [true, false],
    );
    // What is for another server is not there: no description, no part of the declaration.
    const other = dialect.name === 'mariadb' ? d : c;
    expect(other?.annotations.description).toEqual([]);
    expect(other?.ddl).toMatch(/^[cd] INT$/);
  });

  it('and nothing of a dump but its tables', () => {
    const text = `/*!999999\\- enable the sandbox mode */
/*!40101 SET NAMES utf8mb4 */;
INSERT INTO x VALUES ('don\\'t; -- @inbox', "a ; # @inbox");
DELIMITER ;;
CREATE TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN
  IF NEW.a THEN SET NEW.a = CASE WHEN 1 THEN 2 END; END IF;
  -- CREATE TABLE
END;;
DELIMITER ;
CREATE PROCEDURE p() BEGIN SELECT 1; END;
-- @inbox
CREATE TABLE jobs (a INT);`;
    expect(findings(dialect, text)).toEqual([]);
    expect(read(dialect, text).value?.map(({ name }) => name.text)).toEqual(['jobs']);
  });
});

describe.each([mysql, mariadb])('$name reads columns', (dialect) => {
  it.each([
    ["'it\\\\'s'", "'it''s'"],
    ['"it\'s \\"x\\""', "'it''s \"x\"'"],
    ["'a''b'", "'a''b'"],
    ["'a\\\\\\\\b'", "_utf8mb4 X'615c62'"],
    ["'a' 'b'", "'ab'"],
    ["N'a'", "'a'"],
    ["_utf8mb4'a'", "'a'"],
    ["_binary x'00'", "_binary x'00'"],
    ["b'01'", "b'01'"],
    ['-1.5', '-1.5'],
    ['CURRENT_TIMESTAMP', 'CURRENT_TIMESTAMP'],
    ['NOW(6)', 'NOW(6)'],
    ['(JSON_OBJECT("a", \'b\'))', "(JSON_OBJECT('a', 'b'))"],
    ['(UUID() /* x */)', '(UUID() )'],
  ])('with a default of %s', (written, kept) => {
    const text = written.replaceAll('\\\\', '\\');
    for (const behind of ['', ' NOT NULL', " COMMENT 'x'", ' UNIQUE KEY', ' ON UPDATE NOW(6)']) {
      expect(columnOf(dialect, `a VARCHAR(20) DEFAULT ${text}${behind}`).default?.sql).toBe(kept);
    }
  });

  it('whose default of NULL is none', () => {
    expect(columnOf(dialect, 'a INT DEFAULT NULL').default).toBeUndefined();
    expect(columnOf(dialect, 'a INT DEFAULT (NULL)').default).toBeUndefined();
  });

  it.each([
    "a INT ENGINE_ATTRIBUTE '{}' SECONDARY_ENGINE_ATTRIBUTE='{}'",
    'a POINT SRID 4326',
    'a POINT REF_SYSTEM_ID=4326',
    'a TEXT COMPRESSED=zlib',
    'a INT CONSTRAINT CHECK (a > 0) NOT ENFORCED',
    'a INT CONSTRAINT c REFERENCES p (id) MATCH FULL ON DELETE SET DEFAULT ON UPDATE NO ACTION',
    "a VARCHAR(9) COLLATE 'utf8mb4_bin' COLUMN_FORMAT FIXED STORAGE DISK",
    'a INT WITHOUT SYSTEM VERSIONING',
    'a INT INVISIBLE NULL',
  ])('with attributes that say nothing of a row: %s', (column) => {
    expect(columnOf(dialect, column)).toMatchObject({ nullable: true });
    expect(columnOf(dialect, column).onUpdate).toBeUndefined();
  });

  it('that the server numbers, which are never NULL', () => {
    for (const column of [
      'a INT AUTO_INCREMENT UNIQUE',
      'a SERIAL',
      'a INT SERIAL DEFAULT VALUE',
    ]) {
      expect(columnOf(dialect, column)).toMatchObject({ generated: 'by-default', nullable: false });
    }
  });

  it('that move with every update', () => {
    const column = columnOf(dialect, 'a DATETIME(3) ON UPDATE CURRENT_TIMESTAMP(3) NOT NULL');
    expect(column).toMatchObject({ nullable: false });
    expect(column.onUpdate).toBeDefined();
  });

  it('but no table whose columns stand elsewhere', () => {
    expect(findings(dialect, '-- @inbox\nCREATE TABLE jobs LIKE p;')).toEqual([
      '2:19 unreadable-table table "jobs" takes its columns from another table',
    ]);
    expect(findings(dialect, '-- @inbox\nCREATE TABLE jobs (LIKE p);')).toEqual([
      '2:20 unreadable-table table "jobs" takes its columns from another table',
    ]);
    expect(
      read(
        dialect,
        '-- @inbox\nCREATE TABLE jobs (a INT) ENGINE=InnoDB AS SELECT 1;',
      ).diagnostics.map(said),
    ).toEqual(['2:41 unreadable-table table "jobs" takes its columns from a query']);
  });

  it('and stops where it does not understand', () => {
    expect(findings(dialect, '-- @inbox\nCREATE TABLE jobs (a INT(1) b);')).toEqual([
      '2:29 unreadable-table "b" cannot be read as a part of column "a"',
    ]);
    expect(findings(dialect, '-- @inbox\nCREATE TABLE jobs (a);')).toEqual([
      '2:20 unreadable-table column "a" has no type',
    ]);
  });
});

describe('types', () => {
  const kindOf = (column: string): string => {
    const { type } = columnOf(mysql, `a ${column}`);
    switch (type.kind) {
      case 'integer':
        return `${type.unsigned ? 'unsigned ' : ''}${type.bits}`;
      case 'instant':
        return `${type.stored} ${type.digits}`;
      default:
        return type.kind;
    }
  };

  it.each([
    ['TINYINT', '8'],
    ['tinyint(1)', 'boolean'],
    ['TINYINT(1) UNSIGNED', 'unsigned 8'],
    ['TINYINT(2)', '8'],
    ['INT(10) unsigned zerofill', 'unsigned 32'],
    ['BIGINT ZEROFILL', 'unsigned 64'],
    ['SERIAL', 'unsigned 64'],
    ['YEAR(4)', '16'],
    ['DOUBLE PRECISION', 'float'],
    ['DEC(5, 2)', 'decimal'],
    ['NATIONAL CHARACTER VARYING(3)', 'text'],
    ['LONG VARCHAR', 'text'],
    ['LONG VARBINARY', 'bytes'],
    ['CHAR(3) BYTE', 'bytes'],
    ['VARCHAR(3) CHARACTER SET binary', 'bytes'],
    ['VARCHAR(3) CHARSET latin1', 'text'],
    ['CHAR(3) BINARY', 'text'],
    ["ENUM('a', 'b') CHARACTER SET binary", 'text'],
    ['DATETIME', 'plain 0'],
    ['DATETIME(6)', 'plain 6'],
    ['TIMESTAMP', 'zoned 0'],
    ['TIMESTAMP(3)', 'zoned 3'],
    ['BIT(1)', 'unknown'],
    ['POINT', 'unknown'],
  ])('%s is %s', (written, kind) => {
    expect(kindOf(written)).toBe(kind);
  });

  it("of MariaDB are MariaDB's", () => {
    expect(columnOf(mariadb, 'a UUID').type.kind).toBe('uuid');
    expect(columnOf(mariadb, 'a INET6').type.kind).toBe('text');
    expect(columnOf(mysql, 'a INET6').type.kind).toBe('unknown');
  });
});
