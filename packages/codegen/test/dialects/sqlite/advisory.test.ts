import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sqlite } from '../../../src/dialects/sqlite/index.js';
import { statementsOf } from '../../../src/dialects/statements-of.js';
import type { Statement } from '../../../src/dialects/statements.js';
import { readOne } from '../reading.js';
import { resolved } from '../../support/resolving.js';

/** The statement that reads the candidates of a table. */
function candidatesOf(sql: string): Statement {
  const { value } = resolved(readOne(sqlite, sql));
  if (value === undefined) throw new Error('it is no queue');
  const entry = statementsOf(value).entries.find(({ name }) => name === 'candidates');
  if (entry === undefined || !('text' in entry.statement)) throw new Error('it has no candidates');
  return entry.statement;
}

describe('the candidates of an advisory queue on SQLite', () => {
  it('are compared by their key, also where a column is called like its alias', () => {
    const sql = `-- @inbox
-- @advisory jobs-<owner>
CREATE TABLE jobs (
  id        INTEGER PRIMARY KEY,
  owner     TEXT NOT NULL COLLATE NOCASE,
  inbox_key TEXT NOT NULL DEFAULT 'jobs-B'
);`;
    const database = new Database(':memory:');
    database.exec(sql);
    database.exec("INSERT INTO jobs (owner) VALUES ('A'), ('a'), ('A'), ('B')");
    const { text, values } = candidatesOf(sql);
    const read = (inWork: readonly string[]): unknown[] => {
      const bound = { inWork: JSON.stringify(inWork), candidates: 9n };
      return database
        .prepare(text)
        .raw()
        .all(...values.map((name) => bound[name as keyof typeof bound]));
    };
    expect(read([])).toHaveLength(4);
    expect(read(['jobs-A'])).toEqual([
      ['jobs-a', 2],
      ['jobs-B', 4],
    ]);
    expect(read(['jobs-A', 'jobs-a', 'jobs-B'])).toEqual([]);
  });

  it('are read in the order of the key, and no further than asked for', () => {
    const sql = `-- @inbox
-- @advisory <owner>
CREATE TABLE jobs (id INTEGER PRIMARY KEY, owner TEXT NOT NULL);`;
    const database = new Database(':memory:');
    database.exec(sql);
    const { text, values } = candidatesOf(sql);
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    const details = plan.all(...values.map(() => null)).map(({ detail }) => detail);
    expect(details[0]).toMatch(/^SCAN jobs/);
    expect(details.join()).not.toMatch(/TEMP B-TREE|MATERIALIZE|CO-ROUTINE/);
  });
});
