import type pg from 'pg';

import { statementOf, valuesOf, type Answer, type AnySpec, type Bound } from '../locks/bound.js';

/** Runs a statement of a spec on a client. */
export async function runStatement(
  client: pg.Client,
  spec: AnySpec,
  name: string,
  bound: Bound = {},
): Promise<Answer> {
  const statement = statementOf(spec, 'postgres', name);
  const { rows, rowCount } = await client.query<(string | null)[]>({
    text: statement.text,
    values: valuesOf(statement, bound),
    rowMode: 'array',
  });
  return { rows, count: rowCount ?? 0 };
}
