import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCreateTable } from '../../../src/dialects/ddl/create-table.js';
import { readTables } from '../../../src/dialects/read-tables.js';
import { dialectsOf } from '../../../src/dialects/recognise.js';
import { resolveQueue } from '../../../src/queue/resolve.js';
import { splitStatements } from '../../../src/source/statements.js';
import type { Source } from '../../../src/source/source.js';
import {
  familyServers,
  openFamilyDatabase,
  type FamilyDatabase,
} from '../../support/mysql-servers.js';

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
    const [table] = tables;
    const queue = table && resolveQueue(table).value;
    if (queue === undefined) throw new Error('no queue');
    const connection = await database.connect();
    const [made] = splitStatements(source, dialect.lexicalRules).statements.filter(isCreateTable);
    if (made === undefined) throw new Error('no table');
    if (dialect.name === 'mariadb') await connection.run('CREATE SEQUENCE IF NOT EXISTS numbers');
    const name = dialect.quote(queue.table.name.text);
    await connection.run(`DROP TABLE IF EXISTS ${name}`);
    await connection.run(source.text.slice(made.span.start, made.span.end));
    for (const { name: verb, statement } of dialect.leaseStatements(queue).entries) {
      for (const rows of [1, 3]) {
        const { text, values } =
          'text' in statement
            ? statement
            : {
                text:
                  statement.before +
                  new Array<string>(rows).fill(statement.item).join(statement.separator) +
                  statement.after,
                values: [
                  ...statement.values,
                  ...Array.from({ length: rows }, () => statement.each).flat(),
                ],
              };
        expect(await connection.parameters(text), verb).toBe(values.length);
      }
    }
  });
});
