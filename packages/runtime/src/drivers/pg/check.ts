import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { Statement } from '../../statement.js';
import type { TableStore } from '../table-store.js';
import type { DriverTable } from '../tables.js';
import { failureKind, sqlState } from './failure.js';
import { readLimits, type PgLimits } from './limits.js';
import { plainQuery, type PgClient, type PgRow } from './pool.js';
import type { PgSession } from './session.js';

/** PostgreSQL 12: the first with `MATERIALIZED`. */
const oldestVersion = 120_000;

const readServer = plainQuery(`
SELECT current_setting('server_version_num'),
       current_setting('server_version'),
       current_setting('default_transaction_isolation'),
       current_database()::text,
       current_setting('search_path'),
       current_setting('transaction_read_only')`);

/**
 * Checks, on one connection and without executing anything: that a server answers, that it is a
 * Postgres new enough and lets us write, and that it can prepare every statement of the table; then
 * what `more` checks. Answers those of the `limits` that the server has.
 *
 * Rejects with one `InboxError`: `database-unreachable`, `database-closed`, `wrong-database`,
 * `server-too-old`, `table-missing`, `column-missing` or `statement-refused`.
 */
export async function checkPostgres(
  session: PgSession,
  table: DriverTable,
  // Every property is a statement; an interface has no index.
  statements: object,
  limits: PgLimits,
  more?: (client: PgClient, pid: number | undefined) => Promise<void>,
): ReturnType<TableStore['check']> {
  const reached = { server: false };
  try {
    return await session.withClient(async (client, pid) => {
      reached.server = true;
      const server = await checkServer(session, client, table);
      for (const [name, { text }] of Object.entries(statements) as [string, Statement][]) {
        await checkStatement(client, table, server, name, text);
      }
      await more?.(client, pid);
      return readLimits(client, limits);
    });
  } catch (cause) {
    if (cause instanceof InboxError) {
      throw cause.queue === undefined ? withQueue(cause, table.queue) : cause;
    }
    if (reached.server && failureKind(cause) !== 'connection') {
      throw new InboxError(
        'statement-refused',
        `Queue ${table.queue}: the server refused a statement of the check: ${messageOf(cause)}. Where it was busy or the table locked, check again; else see what the role of the pool may do.`,
        { queue: table.queue, cause },
      );
    }
    throw new InboxError(
      'database-unreachable',
      `Queue ${table.queue}: the database cannot be reached: ${messageOf(cause)}. Check the pool's host, port, database and user.`,
      { queue: table.queue, cause },
    );
  }
}

interface Server {
  readonly database: string;
  readonly searchPath: string;
}

async function checkServer(
  session: PgSession,
  client: PgClient,
  { queue }: DriverTable,
): Promise<Server> {
  let row: PgRow | undefined;
  try {
    [row] = (await client.query(readServer)).rows as PgRow[];
  } catch (cause) {
    if (failureKind(cause) !== 'statement') throw cause;
    throw notPostgres(queue, cause);
  }
  const [number, version, isolation, database, searchPath, readOnly] = row ?? [];
  if (number === undefined || number === null || !/^\d+$/.test(number)) {
    throw notPostgres(queue, undefined);
  }
  if (Number(number) < oldestVersion) {
    throw new InboxError(
      'server-too-old',
      `Queue ${queue}: the server is PostgreSQL ${version ?? number}; queues need 12 or newer.`,
      { queue },
    );
  }
  if (readOnly === 'on') {
    throw new InboxError(
      'wrong-database',
      `Queue ${queue}: the sessions of the pool may only read: the server is a standby, or default_transaction_read_only is on. Give the queue a pool of the primary whose sessions may write.`,
      { queue },
    );
  }
  session.noteIsolation(isolation);
  return { database: database ?? '', searchPath: searchPath ?? '' };
}

async function checkStatement(
  client: PgClient,
  { queue, table }: DriverTable,
  { database, searchPath }: Server,
  name: string,
  text: string,
): Promise<void> {
  try {
    await client.query(plainQuery(`PREPARE inbox_check AS ${text}\n;\nDEALLOCATE inbox_check`));
  } catch (cause) {
    const where = `database "${database}" (search_path: ${searchPath})`;
    switch (sqlState(cause)) {
      case '42P01':
      case '3F000':
        throw new InboxError(
          'table-missing',
          `Queue ${queue}: table ${table} is not in ${where}: ${messageOf(cause)}. Create it, or give the pool of the database that has it.`,
          { queue, cause },
        );
      case '42703':
        throw new InboxError(
          'column-missing',
          `Queue ${queue}: table ${table} in ${where} is not as its DDL says: ${messageOf(cause)}. Migrate the table, or change the SQL and run inbox-gen again.`,
          { queue, cause },
        );
      case undefined:
      default:
        if (failureKind(cause) !== 'statement') throw cause;
        throw new InboxError(
          'statement-refused',
          `Queue ${queue}: ${where} refuses the statement "${name}" of table ${table}: ${messageOf(cause)}. The table's types probably differ from its DDL: migrate it, or change the SQL and run inbox-gen again.`,
          { queue, cause },
        );
    }
  }
}

function notPostgres(queue: string, cause: unknown): InboxError {
  return new InboxError(
    'wrong-database',
    `Queue ${queue}: postgres() was given a pool whose server does not answer as PostgreSQL does. Give it a pg.Pool.`,
    { queue, cause },
  );
}

function withQueue(error: InboxError, queue: string): InboxError {
  const { code, message, cause } = error;
  return new InboxError(code, `Queue ${queue}: ${message}`, { queue, cause });
}
