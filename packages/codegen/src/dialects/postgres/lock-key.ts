import type { AdvisoryQueue } from '../../queue/queue.js';
import { quote } from './quote.js';
import { textLiteral } from './literal.js';

/**
 * The text of `inbox_job`'s lock key. The columns that a key may have look the same as text in every
 * session, and none is NULL, so the key is not.
 */
export function keyTextSql({ lockKey }: AdvisoryQueue): string {
  const parts = lockKey.map((part) =>
    typeof part === 'string' ? textLiteral(part) : `inbox_job.${quote(part.name.text)}::text`,
  );
  return parts.join(' || ');
}

/**
 * What a session locks for a key's text: 64 bits. Two keys with the same bits wait for each other,
 * which is all that can happen. The bits are those of the text's bytes: under a collation that takes
 * two texts for equal they would depend on the collation's version.
 */
export function lockSql(key: string): string {
  return `hashtextextended(${key} COLLATE "C", 0)`;
}

/**
 * The advisory locks of this database, as `lock` writes them; more conditions may follow. Locks of
 * two 32-bit numbers (`objsubid = 2`) are others, whatever their numbers.
 */
export function locksSql(select: string, indent: string): string {
  return [
    `SELECT${select}`,
    'FROM pg_locks AS inbox_locks',
    "WHERE inbox_locks.locktype = 'advisory'",
    '  AND inbox_locks.objsubid = 1',
    '  AND inbox_locks.database = (',
    '    SELECT oid FROM pg_database WHERE datname = current_database()',
    '  )',
  ].join(`\n${indent}`);
}

/** The number that a lock of `inbox_locks` was taken on: the catalog shows its halves. */
export const lockedNumber = '(inbox_locks.classid::bigint << 32) | inbox_locks.objid::bigint';
