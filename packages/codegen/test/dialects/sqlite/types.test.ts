import { expect, it } from 'vitest';
import { sqlite } from '../../../src/dialects/sqlite/index.js';
import { columnOf } from '../reading.js';

it.each([
  ['INTEGER', 'integer 64'],
  ['int', 'integer 64'],
  ['BIGINT', 'integer 64'],
  ['INT8', 'integer 64'],
  ['UNSIGNED BIG INT', 'integer 64'],
  ['BIGINT(20)', 'integer 64'],
  ['BIGSERIAL', 'integer 64'],
  ['SERIAL', 'integer 32'],
  ['MEDIUMINT', 'integer 24'],
  ['SMALLINT', 'integer 16'],
  ['INT2', 'integer 16'],
  ['SMALLSERIAL', 'integer 16'],
  ['TINYINT(1)', 'integer 8'],
  ['INT UNSIGNED', 'integer 64'],
  ['BOOLEAN', 'boolean'],
  ['bool', 'boolean'],
  ['TEXT', 'text'],
  ['VARCHAR(255)', 'text'],
  ['NVARCHAR(10)', 'text'],
  ['CHAR(3)', 'text'],
  ['CHARACTER VARYING (3)', 'text'],
  ['NATIVE CHARACTER(70)', 'text'],
  ['CLOB', 'text'],
  ['LONGTEXT', 'text'],
  ['JSON', 'json'],
  ['JSONB', 'json'],
  ['BLOB', 'bytes'],
  ['blob(1024)', 'bytes'],
  ['BINARY(16)', 'bytes'],
  ['VARBINARY', 'bytes'],
  ['BYTEA', 'bytes'],
  ['MEDIUMBLOB', 'bytes'],
  ['REAL', 'float'],
  ['DOUBLE', 'float'],
  ['DOUBLE PRECISION', 'float'],
  ['FLOAT', 'float'],
  ['NUMERIC', 'decimal'],
  ['DECIMAL(10,5)', 'decimal'],
  ['DATETIME', 'instant text 3'],
  ['TIMESTAMP', 'instant text 3'],
  ['timestamptz(6)', 'instant text 3'],
  ['DATE', 'date'],
  ['TIME', 'time'],
  ['UUID', 'uuid'],
  ['"VARCHAR"(10)', 'text'],
  ['[int]', 'integer 64'],
  ['ANY', 'unknown'],
  ['POINT', 'unknown'],
  ['INTERVAL', 'unknown'],
  ['STRING', 'unknown'],
])('%s is %s', (written, expected) => {
  const { type } = columnOf(sqlite, `a ${written} NOT NULL`);
  const more =
    type.kind === 'integer'
      ? ` ${type.bits}`
      : type.kind === 'instant'
        ? ` ${type.stored} ${type.digits}`
        : '';
  expect(type.kind + more).toBe(expected);
});
