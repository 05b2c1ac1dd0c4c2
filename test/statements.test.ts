import Database from 'better-sqlite3';
import type { Statement } from 'inbox-runtime/v1';
import { describe, expect, it } from 'vitest';

import { fixtureSchema } from './databases/fixtures.js';
import { postgresBench } from './databases/postgres.js';
import * as generated from './generated/index.js';
import { specsOf } from './suite/specs.js';
import { openStand } from './suite/support.js';

const specs = specsOf(generated);

const on = (database: string): { name: string; statements: [string, Statement][] }[] =>
  specs.flatMap(({ name, spec }) => {
    const statements = spec.statements[database];
    return statements === undefined ? [] : [{ name, statements: Object.entries(statements) }];
  });

describe('every generated statement is one that its server takes', () => {
  it.each(on('postgres'))('$name on PostgreSQL', async ({ statements }) => {
    const stand = await openStand(postgresBench);
    for (const [name, { text, values }] of statements) {
      await stand.run(`PREPARE "${name}" AS ${text}`);
      const [prepared] = await stand.rows(
        `SELECT cardinality(parameter_types) AS n FROM pg_prepared_statements WHERE name = '${name}'`,
      );
      expect(prepared, name).toEqual({ n: String(values.length) });
    }
    expect(statements.map(([name]) => name)).toEqual([
      ...['claimOne', 'claim', 'extend', 'ack', 'retry', 'release', 'insert'],
    ]);
  });

  it.each(on('sqlite'))('$name on SQLite', ({ statements }) => {
    const handle = new Database(':memory:');
    try {
      handle.exec(fixtureSchema('sqlite'));
      for (const [name, { text, values }] of statements) {
        handle.prepare(text);
        expect(text.match(/\?/g)?.length ?? 0, name).toBe(values.length);
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
    for (const database of ['postgres', 'sqlite']) {
      for (const { name, statements } of on(database)) {
        for (const [statement, { text }] of statements) {
          expect(text, `${name}.${statement}`).not.toMatch(
            /\b(select|update|insert|delete|where)\b(?!["`])/,
          );
        }
      }
    }
    expect(specs.length).toBeGreaterThan(20);
  });
});
