import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { postgresUrl } from './databases/postgres.js';
import { forRows, specsOf, type AnySpec } from './suite/specs.js';

const cases = fileURLToPath(new URL('../fixtures/cases', import.meta.url));

/** A golden module's statements for one database, and the DDL that they were generated from. */
interface Golden {
  readonly name: string;
  readonly ddl: string;
  readonly spec: AnySpec;
}

const goldens = (await Promise.all(readdirSync(cases).map(readCase))).flat();
const on = (database: string): readonly Golden[] =>
  goldens
    .filter(({ spec }) => spec.statements[database] !== undefined)
    .map((golden) => ({ ...golden, ddl: ddlOf(golden.ddl, database) }));

/** The golden modules of a case that ends with some. */
async function readCase(name: string): Promise<readonly Golden[]> {
  const folder = path.join(cases, name);
  const expected = path.join(folder, 'expected');
  if (!existsSync(expected)) {
    return [];
  }
  const files = readdirSync(expected).filter((file) => file.endsWith('.ts') && file !== 'index.ts');
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(path.join(expected, file)).href) as Promise<object>),
  );
  return modules
    .flatMap((exported) => specsOf(exported))
    .map(({ name: spec, spec: statements }) => ({
      name: `${name}: ${spec}`,
      ddl: folder,
      spec: statements,
    }));
}

/** The DDL of a case for a database: a file of that name, or the one file there is. */
function ddlOf(folder: string, database: string): string {
  const own = path.join(folder, `${database}.sql`);
  const file = existsSync(own) ? own : path.join(folder, 'schema.sql');
  // Servers take no byte order mark; their command lines leave it out.
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

/** A database of its own, because the cases name schemas of theirs. */
const database = { name: `inbox_${randomUUID().replaceAll('-', '')}`, url: '' };

beforeAll(async () => {
  await administrate(`CREATE DATABASE ${database.name}`);
  const url = new URL(postgresUrl());
  url.pathname = database.name;
  database.url = url.href;
});
afterAll(() => administrate(`DROP DATABASE ${database.name} WITH (FORCE)`));

async function administrate(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

describe('every statement of every golden module is one that its server takes', () => {
  it.each(on('postgres'))('PostgreSQL, $name', async ({ ddl, spec }) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('CREATE SCHEMA app');
      await client.query(ddl);
      const statements = Object.entries(spec.statements['postgres'] ?? {});
      for (const [name, statement] of statements) {
        await client.query(`PREPARE "${name}" AS ${forRows(statement, 1).text}`);
      }
      expect(statements.length).toBeGreaterThan(3);
    } finally {
      await client.query('ROLLBACK');
      await client.end();
    }
  });

  it.each(on('sqlite'))('SQLite, $name', ({ ddl, spec }) => {
    const handle = new Database(':memory:');
    try {
      handle.exec(ddl);
      const statements = Object.values(spec.statements['sqlite'] ?? {});
      for (const statement of statements) {
        handle.prepare(forRows(statement, 1).text);
      }
      expect(statements.length).toBeGreaterThan(3);
    } finally {
      handle.close();
    }
  });

  it('and there are some', () => {
    expect(on('postgres').length).toBeGreaterThan(10);
    expect(on('sqlite').length).toBeGreaterThan(10);
  });
});
