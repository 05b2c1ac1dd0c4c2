import type { Connection, ResultSetHeader } from 'mysql2/promise';

import { statementOf, valuesOf, type Answer, type AnySpec, type Bound } from '../locks/bound.js';

/** Runs a statement of a spec on a connection. */
export async function runStatement(
  connection: Connection,
  database: string,
  spec: AnySpec,
  name: string,
  bound: Bound = {},
): Promise<Answer> {
  const statement = statementOf(spec, database, name);
  const [answer] = await connection.execute(
    { sql: statement.text, rowsAsArray: true, typeCast: (field) => field.string('utf8') },
    valuesOf(statement, bound),
  );
  if (!Array.isArray(answer)) {
    return { rows: [], count: (answer as ResultSetHeader).affectedRows };
  }
  return { rows: answer as unknown as Answer['rows'], count: answer.length };
}
