import type { AdvisoryQueue } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import { textLiteral } from './literal.js';
import { quote } from './quote.js';
import type { Value } from './statement.js';

/**
 * The text of `inbox_job`'s lock key, byte for byte the same in every session, or two sessions would
 * both lock the row: each part is utf8mb4, so that no two character sets or collations meet and the
 * connection's is none of them. No column of a key is NULL, so the key is not.
 */
export function keyTextSql(queue: AdvisoryQueue): string {
  return `CONCAT(${keyParts(queue).join(', ')})`;
}

/**
 * What names `inbox_job`'s lock: the database and the key's text, since the server has one namespace
 * for all its databases.
 */
export function lockNameSql(queue: AdvisoryQueue): string {
  const { schema } = queue.table;
  const database = schema === undefined ? 'DATABASE()' : textLiteral(schema.text);
  return `CONCAT(${[`LOWER(${database})`, textLiteral('.'), ...keyParts(queue)].join(', ')})`;
}

/**
 * The lock that a session takes for a name: beyond 64 characters its SHA-256, and so with any
 * character that is not ASCII. MySQL takes no name with a character of four bytes, MariaDB none of
 * 193 bytes, and a connection whose character set lacks one could not give the name back.
 *
 * MySQL takes names that differ in case for one name, MariaDB does not. Keys that share a lock wait
 * for each other, which is all that can happen.
 */
export function lockSql(name: string): string {
  const hash = `CONVERT(SHA2(${name}, 256) USING utf8mb4)`;
  return `IF(LENGTH(${name}) > LEAST(CHAR_LENGTH(${name}), 64), ${hash}, ${name})`;
}

/** A lock as a claim answered it: MariaDB compares bytes, so it has to be in the same character set. */
export function givenLockSql(value: Value): string {
  return `CONVERT(${value('lock')} USING utf8mb4)`;
}

function keyParts({ lockKey }: AdvisoryQueue): readonly string[] {
  return lockKey.map((part) =>
    typeof part === 'string' ? textLiteral(part) : columnTextSql(part),
  );
}

/**
 * Trailing blanks do not count: a CHAR has them or not as the SQL mode says. Hexadecimal digits are
 * text only in a connection that has a character set; in the set `binary`, LOWER leaves them alone.
 */
function columnTextSql({ name, type }: Column): string {
  const reference = `inbox_job.${quote(name.text)}`;
  switch (type.kind) {
    case 'bytes':
      return `LOWER(CONVERT(HEX(${reference}) USING utf8mb4))`;
    case 'text':
      return `TRIM(TRAILING ' ' FROM CONVERT(${reference} USING utf8mb4))`;
    default:
      return `CONVERT(${reference} USING utf8mb4)`;
  }
}
