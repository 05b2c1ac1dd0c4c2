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
    expect(statements.map(([name]) => name)).toEqual([
      ...['claimOne', 'claim', 'extend', 'ack', 'retry', 'release', 'insert'],
    ]);
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
      expect(statements.map(([name]) => name)).toEqual([
        ...['due', 'claim', 'stamp', 'own', 'seen', 'extend', 'ack', 'retry', 'release', 'insert'],
      ]);
    });
  });

  it.each(on('sqlite'))('$name on SQLite', ({ statements }) => {
    const handle = new Database(':memory:');
    try {
      handle.exec(fixtureSchema('sqlite'));
      for (const [name, statement] of statements) {
        const { text, count } = forRows(statement, 1);
        handle.prepare(text);
        expect(text.match(/\?/g)?.length ?? 0, name).toBe(count);
      }
    } finally {
      handle.close();
    }
    expect(statements.map(([name]) => name)).toEqual([
      ...['due', 'claim', 'stamp', 'extend', 'ack', 'retry', 'release', 'insert'],
    ]);
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
