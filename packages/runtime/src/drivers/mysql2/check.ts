import { messageOf } from '../../errors/describe.js';
import { InboxError } from '../../errors/inbox-error.js';
import type { ListStatement, Statement } from '../../statement.js';
import { errorNumber, failureKind } from './failure.js';
import type { ServerLimit } from '../table-store.js';
import { mysqlQuery, type MysqlConnection, type MysqlRow } from './pool.js';
import { limitingSettings, serverLimits, type MysqlForm, type Settings } from './server-limits.js';
import type { MysqlServer } from './server.js';
import type { MysqlSession } from './session.js';
import { refusingSettings, settingsRefusal } from './settings-refusal.js';

/** What is checked of a table of any form: a name for messages, and its statements. */
export interface CheckedTable {
  readonly queue: string;
  readonly table: string;
  readonly statements: object;
}

const readServer = mysqlQuery('SELECT VERSION(), DATABASE(), CAST(@@autocommit + 0 AS CHAR)');

const readSettings = mysqlQuery(
  `SHOW SESSION VARIABLES WHERE variable_name IN (${[...limitingSettings, ...refusingSettings]
    .map((name) => `'${name}'`)
    .join(', ')})`,
);

/**
 * Checks, on one connection and without executing anything: that a server answers, that it is of
 * the right kind and new enough, and that it can prepare every statement of the table. Rejects with
 * one `InboxError`: `database-unreachable`, `database-closed`, `wrong-database`, `server-too-old`,
 * `table-missing`, `column-missing` or `statement-refused`. Answers the limits of the server that a
 * long handler would run into.
 */
export async function checkMysql(
  session: MysqlSession,
  server: MysqlServer,
  table: CheckedTable,
  form: MysqlForm,
): Promise<readonly ServerLimit[]> {
  try {
    return await session.withConnection(async (connection) => {
      const database = await checkServer(session, connection, server, table.queue);
      const settings = await settingsOf(connection);
      checkSettings(settings, server, form, table);
      for (const [name, { text }] of Object.entries(table.statements) as [
        string,
        Statement | ListStatement,
      ][]) {
        const sql = typeof text === 'string' ? text : text(1);
        await checkStatement(connection, table, database, name, sql);
      }
      return serverLimits(settings, form);
    });
  } catch (cause) {
    if (cause instanceof InboxError) {
      throw cause.queue === undefined ? withQueue(cause, table.queue) : cause;
    }
    throw new InboxError(
      'database-unreachable',
      `Queue ${table.queue}: the database cannot be reached: ${messageOf(cause)}. Check the pool's host, port, database and user.`,
      { queue: table.queue, cause },
    );
  }
}

/** Answers the name of the connection's database, as messages say it. */
async function checkServer(
  session: MysqlSession,
  connection: MysqlConnection,
  { name, label, oldest, answersAs, otherwise }: MysqlServer,
  queue: string,
): Promise<string> {
  const [rows] = await connection.query(readServer);
  const [[version, database, autocommit] = []] = rows as readonly MysqlRow[];
  if (typeof version !== 'string' || !answersAs(version)) {
    throw new InboxError(
      'wrong-database',
      `Queue ${queue}: ${name}() was given a pool whose server is ${String(version)}, which is not ${label}. Use ${otherwise}, and a class that was generated for that server.`,
      { queue },
    );
  }
  if (isOlder(version, oldest)) {
    throw new InboxError(
      'server-too-old',
      `Queue ${queue}: the server is ${label} ${version}; a queue needs ${oldest.join('.')} or newer.`,
      { queue },
    );
  }
  session.noteAutocommit(autocommit);
  return database === null || database === undefined ? 'no database' : `database "${database}"`;
}

async function settingsOf(connection: MysqlConnection): Promise<Settings> {
  const [rows] = await connection.query(readSettings);
  return new Map((rows as readonly MysqlRow[]).map(([name, value]) => [name ?? '', value ?? '']));
}

function checkSettings(
  settings: Settings,
  server: MysqlServer,
  form: MysqlForm,
  { queue }: CheckedTable,
): void {
  const refusal = settingsRefusal(settings, server, form);
  if (refusal === undefined) return;
  throw new InboxError('statement-refused', `Queue ${queue}: ${refusal}.`, { queue });
}

async function checkStatement(
  connection: MysqlConnection,
  { queue, table }: CheckedTable,
  where: string,
  name: string,
  sql: string,
): Promise<void> {
  try {
    await connection.prepare(sql);
    // Or the driver would answer the next check from its store.
    connection.unprepare(sql);
  } catch (cause) {
    switch (errorNumber(cause)) {
      // No such table; no such database; none chosen.
      case 1146:
      case 1049:
      case 1046:
        throw new InboxError(
          'table-missing',
          `Queue ${queue}: table ${table} is not in ${where}: ${messageOf(cause)}. Create it, or give the pool of the database that has it.`,
          { queue, cause },
        );
      case 1054:
        throw new InboxError(
          'column-missing',
          `Queue ${queue}: table ${table} in ${where} is not as its DDL says: ${messageOf(cause)}. Migrate the table, or change the SQL and run inbox-gen again.`,
          { queue, cause },
        );
      case undefined:
      default:
        if (failureKind(cause) === 'connection') throw cause;
        throw new InboxError(
          'statement-refused',
          `Queue ${queue}: ${where} refuses the statement "${name}" of table ${table}: ${messageOf(cause)}. ${name === 'lock' || name === 'unlock' ? 'Mend the @lock and @unlock of the table' : "The table's types or keys probably differ from its DDL: migrate it, or change the SQL"} and run inbox-gen again.`,
          { queue, cause },
        );
    }
  }
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const parts = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
  for (const [index, least] of oldest.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

function withQueue(error: InboxError, queue: string): InboxError {
  const { code, message, cause } = error;
  return new InboxError(code, `Queue ${queue}: ${message}`, { queue, cause });
}
