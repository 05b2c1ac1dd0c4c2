import Database from 'better-sqlite3';
import type { ListStatement, Statement } from 'inbox-runtime/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fixtureSchema } from './databases/fixtures.js';
import { mariadbBench } from './databases/mariadb.js';
import type { FamilyStand } from './databases/mysql-family.js';
import { mysqlBench } from './databases/mysql.js';
import { postgresBench } from './databases/postgres.js';
import * as generated from './generated/index.js';
import { forRows, specsOf } from './suite/specs.js';
import { openStand } from './suite/support.js';

const specs = specsOf(generated);

const on = (
  database: string,
): { name: string; statements: [string, Statement | ListStatement][] }[] =>
  specs.flatMap(({ name, spec }) => {
    const statements = spec.statements[database];
    return statements === undefined ? [] : [{ name, statements: Object.entries(statements) }];
  });

/**
 * The statements of each form by database, in the order in which a module lists them. Those in
 * parentheses are there where the table needs them.
 */
const forms: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    'claimOne claim extend ack retry release insert',
    'due claim ack (retry) insert',
    'claim ack (release) unlock insert',
    'candidates (lock) (unlock) take ack (release) insert',
  ],
  family: [
    'due claim stamp own seen extend ack retry release insert',
    'due claim ack (retry) insert',
    'due claim (count) take ack (release) unlock insert',
    'candidates (lock) (unlock) (count) take ack (release) insert',
  ],
  sqlite: [
    'due claim stamp extend ack retry release insert',
    'candidates (lock) (unlock) take ack (release) insert',
  ],
};

/** Which form statements of these names are, by its place in the list; -1 for none. */
function formOf(database: string, statements: readonly [string, unknown][]): number {
  const names = statements.map(([name]) => `${name} `).join('');
  return (forms[database] ?? []).findIndex((form) => {
    const pattern = form.replaceAll(/\((\w+)\) ?/g, '(?:$1 )?').replace(/(\w)$/, '$1 ');
    return new RegExp(`^${pattern}$`).test(names);
  });
}

describe('every generated statement is one that its server takes', () => {
  it.each(on('postgres'))('$name on PostgreSQL', async ({ statements }) => {
    const stand = await openStand(postgresBench);
    for (const [name, statement] of statements) {
      const { text, count } = forRows(statement, 1);
      await stand.run(`PREPARE "${name}" AS ${text}`);
      const [prepared] = await stand.rows(
        `SELECT cardinality(parameter_types) AS n FROM pg_prepared_statements WHERE name = '${name}'`,
      );
      expect(prepared, name).toEqual({ n: String(count) });
    }
    expect(formOf('postgres', statements)).not.toBe(-1);
  });

  describe.each([mysqlBench, mariadbBench])('on $name', (bench) => {
    let stand: FamilyStand;
    beforeAll(async () => {
      stand = await bench.open();
    });
    afterAll(() => stand.close());

    it.each(on(bench.name))('$name', async ({ statements }) => {
      const connection = await stand.connection();
      for (const [name, statement] of statements) {
        for (const rows of [1, 4, 16, 64, 128]) {
          const { text, count } = forRows(statement, rows);
          const prepared = await connection.prepare(text);
          const { parameters } = (prepared as unknown as { statement: { parameters: unknown[] } })
            .statement;
          expect(parameters.length, name).toBe(count);
          await prepared.close();
        }
      }
      expect(formOf('family', statements)).not.toBe(-1);
    });
  });

  it.each(on('sqlite'))('$name on SQLite', ({ statements }) => {
    const handle = new Database(':memory:');
    try {
      handle.exec(fixtureSchema('sqlite'));
      for (const [name, statement] of statements) {
        const { text, count } = forRows(statement, 1);
        const prepared = handle.prepare(text);
        const parameters = Array.from({ length: count }, () => null);
        // Binding takes exactly as many values as the text has places.
        expect(() => prepared.bind(...parameters), name).not.toThrow();
      }
    } finally {
      handle.close();
    }
    expect(formOf('sqlite', statements)).not.toBe(-1);
  });

  it.each(Object.entries(forms))('and there are some of each form: %s', (database, all) => {
    const databases = database === 'family' ? ['mysql', 'mariadb'] : [database];
    for (const each of databases) {
      const found = on(each).map(({ statements }) => formOf(database, statements));
      expect(new Set(found)).toEqual(new Set(all.keys()));
    }
  });
});

describe('every generated statement', () => {
  it('names its helpers as its own and carries its keywords in upper case', () => {
    for (const database of ['postgres', 'mysql', 'mariadb', 'sqlite']) {
      for (const { name, statements } of on(database)) {
        for (const [statement, made] of statements) {
          expect(forRows(made, 2).text, `${name}.${statement}`).not.toMatch(
            /\b(select|update|insert|delete|where)\b(?!["`])/,
          );
        }
      }
    }
    expect(specs.length).toBeGreaterThan(20);
  });
});
