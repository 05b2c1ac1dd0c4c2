import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTables } from '../../../src/dialects/read-tables.js';
import { dialectsOf } from '../../../src/dialects/recognise.js';
import type { ListStatement, Statement } from '../../../src/dialects/statements.js';
import { statementsOf } from '../../../src/dialects/statements-of.js';
import type { Source } from '../../../src/source/source.js';
import {
  familyServers,
  openFamilyDatabase,
  type FamilyDatabase,
} from '../../support/mysql-servers.js';
import { resolved } from '../../support/resolving.js';

const cases = fileURLToPath(new URL('../../../../../fixtures/cases', import.meta.url));

/** The schemas of the golden cases from which modules are made. */
const sources: readonly Source[] = readdirSync(cases, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.sql') && !path.startsWith('error-'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(cases, path), 'utf8') }));

describe.each(familyServers)('$dialect.name takes every golden statement', (server) => {
  const { dialect } = server;
  let database: FamilyDatabase;

  beforeAll(async () => {
    database = await openFamilyDatabase(server);
  });

  afterAll(() => database.close());

  // Without a dialect of its own, a file of the cases is for the one that its command names.
  const ours = sources.filter((source) =>
    (
      dialectsOf(source, source.path.startsWith('mysql-dump') ? ['mariadb'] : []).value ?? []
    ).includes(dialect.name),
  );

  it('in at least ten schemas', () => {
    expect(ours.length).toBeGreaterThan(10);
  });

  it.each(ours)('$path', async (source) => {
    const { value: tables = [] } = readTables(source, dialect);
    expect(tables).not.toEqual([]);
    const connection = await database.connect();
    if (dialect.name === 'mariadb') await connection.run('CREATE SEQUENCE IF NOT EXISTS numbers');
    for (const table of tables) {
      const queue = resolved(table).value;
      if (queue === undefined) throw new Error('no queue');
      const name = `\`${table.name.text.replaceAll('`', '``')}\``;
      await connection.run(`DROP TABLE IF EXISTS ${name}`);
      await connection.run(source.text.slice(table.span.start, table.span.end));
      for (const { name: verb, statement } of statementsOf(queue).entries) {
        for (const rows of [1, 3]) {
          const { text, count } = forRows(statement, rows);
          expect(await connection.parameters(text), verb).toBe(count);
        }
      }
    }
  });
});

/** A statement's text, and how many values it takes, for so many rows where it is one for a list. */
function forRows(
  statement: Statement | ListStatement,
  rows: number,
): { readonly text: string; readonly count: number } {
  if ('text' in statement) return { text: statement.text, count: statement.values.length };
  const { before, item, separator, after, values, each } = statement;
  return {
    text: before + new Array<string>(rows).fill(item).join(separator) + after,
    count: values.length + rows * each.length,
  };
}
