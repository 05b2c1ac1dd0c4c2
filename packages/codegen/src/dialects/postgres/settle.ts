import type { LeaseQueue } from '../../queue/queue.js';
import type { Statement } from '../statements.js';
import { fenceSql, fenceValues, keyMatchSql, type AskedValue } from './fence.js';
import { statement, type Value } from './statement.js';
import { keySql, tableSql } from './table-sql.js';

/** What differs between the verbs that settle. */
export interface Verb {
  /** Values that each row brings beside its fence; `inbox_owned` carries them. */
  readonly asked: readonly AskedValue[];
  /** As strong a lock as the write takes, so that the write never waits. */
  readonly lock: 'FOR UPDATE' | 'FOR NO KEY UPDATE';
  /** The write on `inbox_job`, joined with `inbox_owned`; its WHERE and RETURNING follow. */
  readonly write: (value: Value) => string;
  /** A value of the written row to answer. */
  readonly answer?: string;
}

/**
 * Settles many rows with one statement that never waits for a row: it locks, in key order, those
 * that still carry their fence and are free, writes exactly those, and answers for every row asked
 * whether it was done, is lost (the fence is gone), or busy (the fence is there, the lock is not).
 */
export function settleStatement(queue: LeaseQueue, verb: Verb): Statement {
  const asked = [...fenceValues(queue), ...verb.asked];
  const carried = verb.asked.map(({ name }) => `, inbox_asked.inbox_${name}`).join('');
  const [returned, answered] =
    verb.answer === undefined
      ? ['', '']
      : [`, ${verb.answer} AS inbox_answer`, ',\n  inbox_done.inbox_answer'];
  return statement(
    (value) => `
WITH inbox_asked AS MATERIALIZED (
  SELECT *
  FROM unnest(${asked.map(({ name, type }) => `${value(name)}::${type}[]`).join(', ')})
    WITH ORDINALITY AS inbox_row (${asked.map(({ name }) => `inbox_${name}`).join(', ')}, inbox_n)
),
inbox_owned AS MATERIALIZED (
  SELECT inbox_asked.inbox_n, ${queue.key.map((_, index) => `inbox_asked.inbox_key${index + 1}`).join(', ')}${carried}
  FROM inbox_asked
  JOIN ${tableSql(queue)} AS inbox_job
    ON ${fenceSql(queue).join('\n    AND ')}
  ORDER BY ${keySql(queue, 'inbox_job')}
  ${verb.lock} OF inbox_job SKIP LOCKED
),
inbox_done AS (${verb.write(value)}
  WHERE ${keyMatchSql(queue, 'inbox_owned').join(' AND ')}
  RETURNING inbox_owned.inbox_n${returned}
)
SELECT
  inbox_asked.inbox_n::text,
  CASE
    WHEN inbox_done.inbox_n IS NOT NULL THEN 'done'
    WHEN EXISTS (
      SELECT FROM ${tableSql(queue)} AS inbox_job
      WHERE ${fenceSql(queue).join('\n        AND ')}
    ) THEN 'busy'
    ELSE 'lost'
  END${answered}
FROM inbox_asked
LEFT JOIN inbox_done ON inbox_done.inbox_n = inbox_asked.inbox_n
ORDER BY inbox_asked.inbox_n`,
  );
}
