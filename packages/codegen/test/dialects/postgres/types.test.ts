import { describe, expect, it } from 'vitest';
import { postgres } from '../../../src/dialects/postgres/index.js';
import { columnOf, findings } from '../reading.js';

const read = (type: string): readonly [string, string] => {
  const column = columnOf(postgres, `a ${type}`);
  const { kind } = column.type;
  const more =
    column.type.kind === 'integer'
      ? ` ${column.type.bits}`
      : column.type.kind === 'instant'
        ? ` ${column.type.stored} ${column.type.digits}`
        : '';
  return [kind + more, column.castType];
};

describe('a type of PostgreSQL', () => {
  it.each([
    ['smallint', 'integer 16', 'smallint'],
    ['INT2', 'integer 16', 'int2'],
    ['smallserial', 'integer 16', 'smallint'],
    ['serial2', 'integer 16', 'smallint'],
    ['integer', 'integer 32', 'integer'],
    ['int', 'integer 32', 'int'],
    ['int4', 'integer 32', 'int4'],
    ['serial', 'integer 32', 'integer'],
    ['serial4', 'integer 32', 'integer'],
    ['BIGINT', 'integer 64', 'bigint'],
    ['int8', 'integer 64', 'int8'],
    ['bigserial', 'integer 64', 'bigint'],
    ['serial8', 'integer 64', 'bigint'],
    ['pg_catalog.int8', 'integer 64', 'int8'],
    ['numeric(10, 2)', 'decimal', 'numeric'],
    ['decimal', 'decimal', 'numeric'],
    ['dec(3)', 'decimal', 'numeric'],
    ['real', 'float', 'real'],
    ['float4', 'float', 'float4'],
    ['double precision', 'float', 'double precision'],
    ['float8', 'float', 'float8'],
    ['float', 'float', 'double precision'],
    ['float(24)', 'float', 'real'],
    ['float(25)', 'float', 'double precision'],
    ['text', 'text', 'text'],
    ['varchar', 'text', 'varchar'],
    ['VARCHAR(20)', 'text', 'varchar'],
    ['character varying(20)', 'text', 'varchar'],
    ['national character varying(20)', 'text', 'varchar'],
    ['char varying', 'text', 'varchar'],
    ['char(3)', 'text', 'bpchar'],
    ['char', 'text', 'bpchar'],
    ['character(3)', 'text', 'bpchar'],
    ['nchar(3)', 'text', 'bpchar'],
    ['bpchar', 'text', 'bpchar'],
    ['citext', 'text', 'citext'],
    ['public.citext', 'text', 'citext'],
    ['name', 'text', 'name'],
    ['json', 'json', 'json'],
    ['jsonb', 'json', 'jsonb'],
    ['bytea', 'bytes', 'bytea'],
    ['boolean', 'boolean', 'boolean'],
    ['bool', 'boolean', 'bool'],
    ['uuid', 'uuid', 'uuid'],
    ['date', 'date', 'date'],
    ['time', 'time', 'time'],
    ['time(3) without time zone', 'time', 'time'],
    ['time with time zone', 'time', 'timetz'],
    ['timetz(0)', 'time', 'timetz'],
    ['timestamp', 'instant plain 6', 'timestamp'],
    ['timestamp(3)', 'instant plain 3', 'timestamp'],
    ['timestamp without time zone', 'instant plain 6', 'timestamp'],
    ['timestamptz', 'instant zoned 6', 'timestamptz'],
    ['TIMESTAMPTZ(0)', 'instant zoned 0', 'timestamptz'],
    ['timestamp with time zone', 'instant zoned 6', 'timestamptz'],
    ['timestamp (3) with time zone', 'instant zoned 3', 'timestamptz'],
    ['timestamp(9) with time zone', 'instant zoned 6', 'timestamptz'],
    ['"timestamptz"', 'instant zoned 6', 'timestamptz'],
    ['interval', 'unknown', 'interval'],
    ['interval day to second(3)', 'unknown', 'interval'],
    ['bit(8)', 'unknown', 'bit varying'],
    ['bit varying(8)', 'unknown', 'bit varying'],
    ['inet', 'unknown', 'inet'],
    ['"char"', 'unknown', '"char"'],
    ['"integer"', 'unknown', '"integer"'],
    ['mood', 'unknown', 'mood'],
    ['"Mood"', 'unknown', '"Mood"'],
    ['storage.buckettype', 'unknown', 'storage.buckettype'],
    ['public.geometry(Point,4326)', 'unknown', 'public.geometry'],
    ['"My".t', 'unknown', '"My".t'],
    ['text[]', 'unknown', 'text[]'],
    ['int[3][3]', 'unknown', 'int[][]'],
    ['int array', 'unknown', 'int[]'],
    ['int ARRAY[4]', 'unknown', 'int[]'],
    ['varchar(20)[]', 'unknown', 'varchar[]'],
    ['timestamp(3) with time zone[]', 'unknown', 'timestamptz[]'],
  ])('%s is %s, and %s behind a cast', (written, type, cast) => {
    expect(read(written)).toEqual([type, cast]);
  });

  it('ends before an attribute', () => {
    const column = columnOf(postgres, 'a timestamp WITH TIME ZONE NOT NULL');
    expect([column.type.kind, column.nullable]).toEqual(['instant', false]);
  });

  it('is needed', () => {
    expect(findings(postgres, '-- @inbox\nCREATE TABLE jobs (a, b int);')).toEqual([
      '2:20 unreadable-table column "a" has no type',
    ]);
  });
});
