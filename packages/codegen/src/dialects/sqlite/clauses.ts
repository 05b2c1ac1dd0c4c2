import type { QueueTable } from '../../queue/queue.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/** The conditions under which a row has the key that is bound as `key1`, `key2`, …. */
export function keyMatchSql({ key }: QueueTable, value: Value): string {
  return key
    .map(({ name }, index) => `${quote(name.text)} = ${value(`key${index + 1}`)}`)
    .join(' AND ');
}

/** The column that counts. */
export function attemptSql({ attempt }: QueueTable): string {
  if (attempt === undefined) throw new Error('the queue does not count');
  return quote(attempt.column.name.text);
}

/** The count after one delivery more, or one less. */
export function countedSql(queue: QueueTable, step: '+ 1' | '- 1'): string {
  const { attempt } = queue;
  if (attempt === undefined) throw new Error('the queue does not count');
  return attempt.column.nullable
    ? `COALESCE(${attemptSql(queue)}, ${attempt.start}) ${step}`
    : `${attemptSql(queue)} ${step}`;
}

/** The row columns but key and attempt, in DDL order: the last cells of a claimed row. */
export function dataCells({ rowColumns, key, attempt }: QueueTable): readonly string[] {
  return rowColumns
    .filter((column) => !key.includes(column) && column !== attempt?.column)
    .map(({ name }) => quote(name.text));
}
