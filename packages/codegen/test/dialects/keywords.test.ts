import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isKeyword } from '../../src/dialects/keywords.js';
import { quote as postgresQuote } from '../../src/dialects/postgres/quote.js';
import { quote as sqliteQuote } from '../../src/dialects/sqlite/quote.js';

describe('a name', () => {
  it.each(['jobs', 'inbox_due', '_x', 'a1', 'status', 'id', 'payload', 'attempt', 'locked_until'])(
    'stands bare where that is safe: %s',
    (name) => {
      expect([postgresQuote(name), sqliteQuote(name)]).toEqual([name, name]);
    },
  );

  it.each([
    'key',
    'group',
    'order',
    'user',
    'rank',
    'index',
    'Jobs',
    'a b',
    '1a',
    '',
    'größe',
    'a$',
  ])('is quoted otherwise: %s', (name) => {
    expect([postgresQuote(name), sqliteQuote(name)]).toEqual([`"${name}"`, `\`${name}\``]);
  });

  it('has its quotes doubled', () => {
    expect(postgresQuote('a"b`')).toBe('"a""b`"');
    expect(sqliteQuote('a"b`')).toBe('`a"b```');
  });
});

/** Uses a name bare wherever the statements of a queue use one. */
const uses = (name: string): readonly string[] => [
  `CREATE TABLE ${name} (${name} INTEGER NOT NULL, id INTEGER)`,
  `INSERT INTO ${name} (${name}) VALUES (1) RETURNING ${name}`,
  `UPDATE ${name} SET ${name} = ${name} + 1 WHERE ${name} < 3 AND (${name}) IS NOT NULL`,
  `SELECT ${name}, ${name}.${name} AS inbox_x FROM ${name} WHERE ${name} IN (1, 2) ORDER BY ${name} LIMIT 1`,
  `DELETE FROM ${name} WHERE ${name}.${name} = 2`,
];

describe('the words that PostgreSQL knows', () => {
  const url = process.env['POSTGRES_URL'];
  if (url === undefined || url === '') {
    throw new Error('POSTGRES_URL is not set: run `npm test`, which starts a server, or name one');
  }
  const schema = `inbox_keywords_${process.pid}`;
  const client = new pg.Client({ connectionString: url });

  beforeAll(async () => {
    await client.connect();
    await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(`SET search_path = ${schema}`);
  });

  afterAll(async () => {
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  });

  it('stand bare unless they are in the list', async () => {
    const { rows } = await client.query<{ word: string }>('SELECT word FROM pg_get_keywords()');
    const bare = rows.map(({ word }) => word).filter((word) => !isKeyword(word));
    expect(bare.length).toBeGreaterThan(200);
    for (const word of bare) {
      for (const sql of uses(word)) {
        await client.query(sql).catch((error: unknown) => {
          throw new Error(`${sql}: ${String(error)}`);
        });
      }
    }
  });
});

/** https://sqlite.org/lang_keywords.html */
const sqliteWords = `abort action add after all alter always analyze and as asc attach autoincrement
before begin between by cascade case cast check collate column commit conflict constraint create cross
current current_date current_time current_timestamp database default deferrable deferred delete desc
detach distinct do drop each else end escape except exclude exclusive exists explain fail filter first
following for foreign from full generated glob group groups having if ignore immediate in index indexed
initially inner insert instead intersect into is isnull join key last left like limit match materialized
natural no not nothing notnull null nulls of offset on or order others outer over partition plan pragma
preceding primary query raise range recursive references regexp reindex release rename replace restrict
returning right rollback row rows savepoint select set table temp temporary then ties to transaction
trigger unbounded union unique update using vacuum values view virtual when where window with without`;

it('the words that SQLite knows stand bare unless they are in the list', () => {
  const bare = sqliteWords.split(/\s+/).filter((word) => !isKeyword(word));
  expect(bare.length).toBeGreaterThan(30);
  for (const word of bare) {
    const database = new Database(':memory:');
    for (const sql of uses(word)) {
      expect(() => database.exec(sql), sql).not.toThrow();
    }
  }
});
