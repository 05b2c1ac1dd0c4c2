import type { QueueTable } from '../../queue/queue.js';
import { keyValueSql } from './cells.js';
import { quote } from './quote.js';
import type { ListItem, Value } from './statement.js';

/** The table as SQL names it, with its database where the DDL gives one. */
export function tableSql({ table }: QueueTable): string {
  return table.schema === undefined
    ? quote(table.name.text)
    : `${quote(table.schema.text)}.${quote(table.name.text)}`;
}

/**
 * The table as `inbox_job`, read by its key and no other way. Without that a small table, or a list
 * of many keys, is scanned: then a statement waits for rows that it was never asked about.
 */
export function jobSql(queue: QueueTable): string {
  const { key, table } = queue;
  const isPrimary =
    key.length === table.primaryKey.length &&
    key.every(({ name }) => table.primaryKey.includes(name.text));
  return `${tableSql(queue)} AS inbox_job${isPrimary ? ' FORCE INDEX (PRIMARY)' : ''}`;
}

/** The key's columns behind a table's alias: `inbox_job.tenant_id, inbox_job.n`. */
export function keySql({ key }: QueueTable, alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return key.map(({ name }) => `${prefix}${quote(name.text)}`).join(', ');
}

/** The join of two sources by the key. */
export function keyJoinSql({ key }: QueueTable, left: string, right: string): string {
  return key
    .map(({ name }) => `${left}.${quote(name.text)} = ${right}.${quote(name.text)}`)
    .join(' AND ');
}

/** A list of keys: what each row says, and the SQL around all of them. */
export interface KeyList {
  readonly item: ListItem;
  readonly around: (list: string) => string;
}

/**
 * A list of keys as a condition on `inbox_job`, for an UPDATE. A key of one column goes by `IN`; one
 * of several by OR, since not every server uses the index for a list of row values.
 */
export function keyCondition({ key }: QueueTable): KeyList {
  const [first, second] = key;
  if (first !== undefined && second === undefined) {
    return {
      item: { separator: ', ', build: (value) => keyValueSql(first, value('key1')) },
      around: (list) => `inbox_job.${quote(first.name.text)} IN (${list})`,
    };
  }
  return {
    item: {
      separator: '\n  OR ',
      build: (value) => {
        const parts = key.map((column, index) => {
          const given = keyValueSql(column, value(`key${index + 1}`));
          return `inbox_job.${quote(column.name.text)} = ${given}`;
        });
        return `(${parts.join(' AND ')})`;
      },
    },
    around: (list) => list,
  };
}

/**
 * A list of keys as a table `inbox_asked` joined with `inbox_job`, so that the rows asked for are
 * found by their key, one by one, and no other row is looked at, locked or waited for. The first leg
 * answers nothing: it gives the list the types and the collations of the key's columns.
 */
export function keyTable(queue: QueueTable): KeyList {
  const names = queue.key.map((_, index) => `inbox_key${index + 1}`);
  const columns = queue.key.map(({ name }, index) => `${quote(name.text)} AS ${names[index]}`);
  const matches = queue.key.map(
    ({ name }, index) => `inbox_job.${quote(name.text)} = inbox_asked.${names[index]}`,
  );
  return {
    item: {
      separator: '\n  UNION ALL ',
      build: (value) => {
        const values = queue.key.map((column, i) => keyValueSql(column, value(`key${i + 1}`)));
        return `SELECT ${values.join(', ')}`;
      },
    },
    around: (list) => `(
  SELECT ${columns.join(', ')} FROM ${tableSql(queue)} WHERE FALSE
  UNION ALL ${list}
) AS inbox_asked
STRAIGHT_JOIN ${jobSql(queue)}
  ON ${matches.join(' AND ')}`,
  };
}

/** The conditions under which `inbox_job` is the row whose key is bound as `key1`, `key2`, …. */
export function keyIsSql({ key }: QueueTable, value: Value): readonly string[] {
  return key.map((column, index) => {
    const given = keyValueSql(column, value(`key${index + 1}`));
    return `inbox_job.${quote(column.name.text)} = ${given}`;
  });
}

/** A WHERE clause on a line of its own; none without a condition. */
export function whereSql(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`;
}
