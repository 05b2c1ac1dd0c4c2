import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quote } from '../../../src/dialects/mysql-family/quote.js';
import type { Column } from '../../../src/table/table.js';
import {
  familyServers,
  openFamilyDatabase,
  type FamilyConnection,
  type FamilyDatabase,
  type FamilyServer,
} from '../../support/mysql-servers.js';
import { readOne } from '../reading.js';

/** Tables of every shape that the reader has a rule for, as both servers take them. */
const tables: readonly string[] = [
  'CREATE TABLE t (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, a INT)',
  'CREATE TABLE t (id SERIAL PRIMARY KEY, a INT NOT NULL)',
  'CREATE TABLE t (id INT SERIAL DEFAULT VALUE, a INT)',
  'CREATE TABLE t (id INT AUTO_INCREMENT KEY, a INT UNIQUE KEY, b INT UNIQUE)',
  'CREATE TABLE t (`id` int(10) unsigned zerofill NOT NULL, `b` tinyint(1), `c` tinyint(1) unsigned, d tinyint, e BOOL, f BOOLEAN NOT NULL DEFAULT TRUE)',
  'CREATE TABLE t (a INT1, b INT2, c INT3, d INT4, e INT8, f MIDDLEINT, g SMALLINT, h MEDIUMINT, i INTEGER, j BIGINT(20), k YEAR)',
  'CREATE TABLE t (a DECIMAL(10, 2), b NUMERIC, c DEC(4), d FIXED(5, 1) UNSIGNED, e FLOAT, f FLOAT(53), g DOUBLE, h DOUBLE PRECISION, i REAL, j FLOAT4, k FLOAT8)',
  'CREATE TABLE t (a CHAR, b CHAR(3), c VARCHAR(20), d CHARACTER VARYING(9), e NCHAR(3), f NATIONAL VARCHAR(4), g NVARCHAR(5), h CHARACTER(2), i NATIONAL CHARACTER VARYING(3))',
  'CREATE TABLE t (a TINYTEXT, b TEXT, c MEDIUMTEXT, d LONGTEXT, e LONG, f LONG VARCHAR, g LONG VARBINARY, h TEXT(100))',
  'CREATE TABLE t (a BINARY(16), b VARBINARY(20), c TINYBLOB, d BLOB, e MEDIUMBLOB, f LONGBLOB, g CHAR(3) BYTE, h BLOB(9), i BINARY)',
  "CREATE TABLE t (a ENUM('x', 'y,z', 'it''s') NOT NULL DEFAULT 'x', b SET('a', 'b') DEFAULT 'a,b', c JSON, d BIT(8), e BIT)",
  'CREATE TABLE t (a DATE, b TIME, c TIME(3), d DATETIME, e DATETIME(3), f DATETIME(6), g TIMESTAMP NULL, h TIMESTAMP(6) NULL DEFAULT NULL)',
  'CREATE TABLE t (a TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, b DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), c DATETIME DEFAULT NOW(), d TIMESTAMP(6) NULL DEFAULT LOCALTIMESTAMP(6) ON UPDATE NOW(6))',
  "CREATE TABLE t (a VARCHAR(20) DEFAULT 'x', b VARCHAR(20) DEFAULT NULL, c VARCHAR(20) NOT NULL DEFAULT 'it''s', d VARCHAR(20) DEFAULT \"d\\\"q\", e VARCHAR(20) DEFAULT 'a\\\\b\\n', f VARCHAR(20) DEFAULT 'a' 'b', g VARCHAR(9) DEFAULT N'n', h VARCHAR(9) DEFAULT _utf8mb4'm')",
  "CREATE TABLE t (a INT DEFAULT -1, b INT DEFAULT +2, c DECIMAL(4, 1) DEFAULT 1.5, d BIT(8) DEFAULT b'101', e VARBINARY(9) DEFAULT x'00ff', f VARBINARY(9) DEFAULT 0x41, g INT DEFAULT '7', h DOUBLE DEFAULT 1e3)",
  "CREATE TABLE t (a INT DEFAULT (1 + 1), b VARCHAR(40) DEFAULT (UPPER('x')), c JSON DEFAULT (JSON_OBJECT('k', 1)), d TEXT DEFAULT ('t\\'q'), e INT DEFAULT (NULL), f CHAR(36) DEFAULT (UUID()))",
  "CREATE TABLE t (a INT, b INT AS (a * 2), c INT GENERATED ALWAYS AS (a + 1) STORED, d INT GENERATED ALWAYS AS (a) VIRTUAL COMMENT 'x', e INT AS (a) STORED UNIQUE)",
  'CREATE TABLE t (a INT REFERENCES p (id), b INT REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE, c INT, FOREIGN KEY (c) REFERENCES p (id) ON DELETE RESTRICT ON UPDATE NO ACTION)',
  'CREATE TABLE t (a INT CHECK (a > 0), b INT CHECK (b <> 1), CONSTRAINT c_is CHECK (a < b), CHECK (b > 0))',
  "CREATE TABLE t (a INT, `B` INT, c VARCHAR(20), CONSTRAINT k PRIMARY KEY USING BTREE (b, A DESC), UNIQUE INDEX u (c(10)), KEY (a) COMMENT 'k', INDEX i USING BTREE (c), FULLTEXT KEY f (c))",
  "CREATE TABLE t (a VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL, b TEXT CHARSET utf8mb4, c VARCHAR(9) CHARACTER SET binary, d TEXT CHARACTER SET binary, e VARCHAR(9) COLLATE utf8mb4_bin COMMENT 'x', f VARCHAR(3) ASCII, g CHAR(3) BINARY)",
  'CREATE TABLE `t` (`key` INT, `order` INT, `a``b` INT, status INT, `größe` INT, 2fa INT, comment VARCHAR(3), period INT, `"q"` INT)',
  "CREATE TABLE IF NOT EXISTS t (a INT COMMENT 'a; -- @x', b INT /* c */ NOT NULL # d\n) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC COMMENT='as (select'",
  'CREATE TABLE t (id INT NOT NULL, at DATE NOT NULL, PRIMARY KEY (id, at)) ENGINE=InnoDB\n/*!50100 PARTITION BY RANGE (YEAR(at)) (PARTITION p0 VALUES LESS THAN (2020), PARTITION p1 VALUES LESS THAN MAXVALUE) */',
  'CREATE TABLE t (id INT NOT NULL PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3',
  'CREATE TABLE t (a INT /*!50100 NOT NULL */, b INT /*!50100 DEFAULT 5 */, c /*!40000 BIGINT */ UNSIGNED)',
  'CREATE TABLE t (a INT NOT NULL DEFAULT 0 COMMENT "double", b INT UNIQUE NOT NULL, c INT NULL)',
  'CREATE TABLE t (a POINT, b GEOMETRY NOT NULL)',
];

/** What only one of them takes, or takes in another way. */
const ownTables: Readonly<Record<FamilyServer['variable'], readonly string[]>> = {
  MYSQL_URL: [
    'CREATE TABLE t (a INT INVISIBLE, b INT VISIBLE, c INT /*!80023 INVISIBLE */, KEY (b) INVISIBLE)',
    'CREATE TABLE t (a INT NOT NULL, b VARCHAR(9) COLUMN_FORMAT DYNAMIC STORAGE MEMORY, c INT CONSTRAINT c_is CHECK (c <> 1), d INT CHECK (d > 0) NOT ENFORCED)',
    'CREATE TABLE t (a POINT NOT NULL SRID 4326, b INT /*M! NOT NULL */, c INT /*!100203 NOT NULL */, d VECTOR(3))',
    'CREATE TABLE t (a BINARY(16) DEFAULT (UUID_TO_BIN(UUID())) PRIMARY KEY, b INT DEFAULT (a IS NULL))',
    'CREATE TABLE t (a TIMESTAMP, b TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP(3))',
  ],
  MARIADB_URL: [
    'CREATE OR REPLACE TABLE t (a INT INVISIBLE, b UUID NOT NULL, c INET6, d INET4)',
    "CREATE TABLE t (a INT, b INT AS (a) PERSISTENT, c TEXT COMPRESSED, d INT DEFAULT (a + 1), e CHAR(36) DEFAULT UUID(), f VARCHAR(9) DEFAULT CONCAT('a', 'b'))",
    'CREATE TABLE t (a INT, b INT /*M! NOT NULL */, c INT /*M!100203 NOT NULL */, d INT /*!100203 NOT NULL */, e INT /*!80023 NOT NULL */) WITH SYSTEM VERSIONING',
    'CREATE TABLE t (a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e), b INT WITHOUT SYSTEM VERSIONING) WITH SYSTEM VERSIONING',
    'CREATE TABLE t (a BIGINT DEFAULT NEXT VALUE FOR s PRIMARY KEY, b BIGINT DEFAULT nextval(s))',
  ],
};

/** The kinds by the catalog's names; every other type has none. */
const kinds: Readonly<Record<string, string>> = {
  tinyint: 'integer 8',
  smallint: 'integer 16',
  mediumint: 'integer 24',
  int: 'integer 32',
  bigint: 'integer 64',
  year: 'integer 16',
  decimal: 'decimal',
  float: 'float',
  double: 'float',
  char: 'text',
  varchar: 'text',
  tinytext: 'text',
  text: 'text',
  mediumtext: 'text',
  longtext: 'text',
  enum: 'text',
  set: 'text',
  inet4: 'text',
  inet6: 'text',
  uuid: 'uuid',
  json: 'json',
  binary: 'bytes',
  varbinary: 'bytes',
  tinyblob: 'bytes',
  blob: 'bytes',
  mediumblob: 'bytes',
  longblob: 'bytes',
  date: 'date',
  time: 'time',
  datetime: 'instant plain',
  timestamp: 'instant zoned',
};

interface CatalogColumn {
  readonly name: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly extra: string;
  readonly type: string;
  readonly columnType: string;
  readonly digits: number;
}

describe.each(familyServers)('the tables of $dialect.name', (server) => {
  let database: FamilyDatabase;
  let connection: FamilyConnection;

  beforeAll(async () => {
    database = await openFamilyDatabase(server);
    connection = await database.connect(['foreign_key_checks = 0']);
    await connection.run('CREATE TABLE p (id INT PRIMARY KEY)');
    if (server.variable === 'MARIADB_URL') await connection.run('CREATE SEQUENCE s');
  });

  afterAll(() => database.close());

  it.each([...tables, ...ownTables[server.variable]])(
    'are read as the server reads them: %s',
    async (sql) => {
      await connection.run('DROP TABLE IF EXISTS t');
      await connection.run(sql);
      const table = readOne(server.dialect, `-- @inbox\n${sql};`);
      const catalog = await columnsOf(connection);
      expect(table.columns.map(({ name }) => name.text)).toEqual(catalog.map(({ name }) => name));
      const key = await connection.rows(keyOfTable);
      expect(table.primaryKey).toEqual(key.map(([name]) => name));
      for (const [index, column] of table.columns.entries()) {
        const found = catalog[index];
        if (found === undefined) throw new Error(`no row for ${column.ddl}`);
        compare(column, found);
        if (column.default !== undefined) await compareDefault(connection, column);
      }
    },
  );
});

const keyOfTable = `
SELECT COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't' AND CONSTRAINT_NAME = 'PRIMARY'
ORDER BY ORDINAL_POSITION`;

async function columnsOf(connection: FamilyConnection): Promise<readonly CatalogColumn[]> {
  const rows = await connection.rows(`
SELECT COLUMN_NAME, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, DATA_TYPE, COLUMN_TYPE, DATETIME_PRECISION
FROM information_schema.COLUMNS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't'
ORDER BY ORDINAL_POSITION`);
  return rows.map(([name, nullable, value, extra, type, columnType, digits]) => ({
    name: name ?? '',
    nullable: nullable === 'YES',
    default: value === 'NULL' ? null : (value ?? null),
    extra: extra ?? '',
    type: type ?? '',
    columnType: columnType ?? '',
    digits: Number(digits ?? 0),
  }));
}

function compare(column: Column, found: CatalogColumn): void {
  const { type } = column;
  const computed = /GENERATED/.test(found.extra) && !/DEFAULT_GENERATED/.test(found.extra);
  expect(column.generated, column.ddl).toBe(
    /auto_increment/.test(found.extra) ? 'by-default' : computed ? 'computed' : undefined,
  );
  if (!computed) expect(column.nullable, column.ddl).toBe(found.nullable);
  expect(column.onUpdate !== undefined, column.ddl).toBe(/on update/.test(found.extra));
  // One server keeps a JSON column as text.
  const written = type.kind === 'json' && found.type === 'longtext' ? 'json' : found.type;
  const boolean = found.columnType === 'tinyint(1)';
  const more =
    type.kind === 'integer' ? ` ${type.bits}` : type.kind === 'instant' ? ` ${type.stored}` : '';
  expect(type.kind + more, column.ddl).toBe(boolean ? 'boolean' : (kinds[written] ?? 'unknown'));
  if (type.kind === 'instant') expect(type.digits, column.ddl).toBe(found.digits);
  if (type.kind === 'integer') {
    expect(type.unsigned, column.ddl).toBe(/unsigned/.test(found.columnType));
  }
  if (!/^e INT DEFAULT \(NULL\)/.test(column.ddl) && column.generated === undefined) {
    expect(column.default !== undefined, column.ddl).toBe(found.default !== null);
  }
}

/** Once as the server fills it, once as the reader has it, in every mode. */
async function compareDefault(connection: FamilyConnection, column: Column): Promise<void> {
  const name = quote(column.name.text);
  const expression = column.default?.sql ?? '';
  const moves = /uuid|now|current|local|next/i.test(expression);
  const values: unknown[] = [];
  for (const [mode, value] of [
    ['', 'DEFAULT'],
    ['', `IF(1, ${expression}, NULL)`],
    ['ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT', `IF(1, ${expression}, NULL)`],
  ] as const) {
    await connection.run('DELETE FROM t');
    await connection.run("SET sql_mode = ''");
    await connection.run(`SET sql_mode = '${mode}'`);
    await connection.run(`INSERT INTO t (${name}) VALUES (${value})`);
    const [row] = await connection.rows(`SELECT HEX(${name}), CAST(${name} AS CHAR) FROM t`);
    values.push(moves ? row?.[0] !== null : row);
  }
  await connection.run('SET sql_mode = DEFAULT');
  expect(values[1], column.ddl).toEqual(values[0]);
  expect(values[2], column.ddl).toEqual(values[0]);
}
