import type { ServerLimit } from '../table-store.js';
import { arrayText } from './array-text.js';
import { plainQuery, type PgClient, type PgQuery } from './pool.js';

/** Settings that end what a form of queue relies on, and what then happens. */
export type PgLimits = Readonly<Record<string, string>>;

const statementTimeout =
  'A claim or settlement that runs longer, say behind a lock, is cancelled, and its row returns. The handler itself is not ended, nor are its own statements longer than that allowed.';

/** What a delivery of a row-lock table, which keeps a transaction open, runs into. */
export const rowLockLimits: PgLimits = {
  idle_in_transaction_session_timeout:
    'The server ends the session of a handler that runs longer, and its row returns to be handled again. Raise it for the role that the pool connects as (ALTER ROLE … SET), or use the lease form.',
  transaction_timeout:
    'The server ends the transaction of a handler that runs longer, and its row returns to be handled again. Raise it for the role that the pool connects as (ALTER ROLE … SET), or use the lease form.',
  statement_timeout: statementTimeout,
};

/** What a delivery of an advisory table, which keeps an idle session, runs into. */
export const advisoryLimits: PgLimits = {
  idle_session_timeout:
    'The server ends the session of a handler that runs longer, which frees its lock, and its row is handled again. Raise it for the role that the pool connects as (ALTER ROLE … SET), or use the lease form.',
  statement_timeout: statementTimeout,
};

/** What a lease table runs into: nothing, because nothing is held while a handler runs. */
export const leaseLimits: PgLimits = {};

/** Settings as this session has them, its role's and its connection's included, in milliseconds. */
function readSettings(names: readonly string[]): PgQuery {
  return {
    ...plainQuery(`
SELECT name, setting
FROM pg_settings
WHERE name = ANY ($1::text[])`),
    values: [arrayText(names.length, (index) => names[index])],
  };
}

const hour = 3_600_000;

/** Which of the settings are on, and shorter than an hour. A server may be too old for some. */
export async function readLimits(
  client: PgClient,
  limits: PgLimits,
): Promise<readonly ServerLimit[]> {
  const all = Object.entries(limits);
  if (all.length === 0) return [];
  const { rows } = await client.query(readSettings(all.map(([setting]) => setting)));
  const values = new Map(rows as [string, string][]);
  return all.flatMap(([setting, consequence]) => {
    const milliseconds = Number(values.get(setting) ?? 0);
    return milliseconds > 0 && milliseconds < hour ? [{ setting, milliseconds, consequence }] : [];
  });
}
