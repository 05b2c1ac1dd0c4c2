import { InboxError } from '../../errors/inbox-error.js';
import type { Cell, InsertStatement } from '../../statement.js';
import { columnIndex } from '../places.js';
import { chunksOf } from './chunks.js';
import { mysqlCommand, mysqlQuery, uncast, type MysqlConnection, type MysqlRow } from './pool.js';
import type { MysqlSession } from './session.js';
import { insertBinder } from './values.js';

type Rows = readonly (readonly Cell[])[];

/** The two ways in: a transaction of our own, or the caller's. */
export interface MysqlInserter {
  insert(rows: Rows): Promise<Rows>;
  insertInto(tx: unknown, rows: Rows): Promise<Rows>;
}

/** The first number that the last INSERT was given, and the step to the next. */
const readNumbers = mysqlQuery(
  'SELECT CAST(LAST_INSERT_ID() AS CHAR), CAST(@@auto_increment_increment AS CHAR)',
);
const savepoint = mysqlCommand('SAVEPOINT inbox_insert');
const release = mysqlCommand('RELEASE SAVEPOINT inbox_insert');
const rollback = mysqlCommand('ROLLBACK TO SAVEPOINT inbox_insert');

/** The inserting of a table's rows, in statements of a few fixed lengths. */
export function mysqlInserter(
  session: MysqlSession,
  queue: string,
  statement: InsertStatement,
): MysqlInserter {
  const bind = insertBinder(statement, session.clock);

  async function insertChunk(connection: MysqlConnection, rows: Rows): Promise<Rows> {
    const key = statement.key ?? [];
    // Sent right behind the INSERT, before anybody else can insert on this connection.
    const inserting = connection.execute(bind(rows));
    const reading =
      key.includes('generated') && rows.length > 1 ? connection.query(readNumbers) : undefined;
    const [[answer], numbers] = await bothOf(inserting, reading);
    if (Array.isArray(answer)) return answer as Rows;
    const numberOf = await numbersOf(connection, answer, numbers?.[0]);
    return rows.map((row, index) =>
      key.map((value) =>
        value === 'generated' ? numberOf(index) : (row[columnIndex(value) ?? -1] ?? null),
      ),
    );
  }

  async function insertChunks(connection: MysqlConnection, chunks: readonly Rows[]): Promise<Rows> {
    const keys: (readonly Cell[])[] = [];
    for (const chunk of chunks) keys.push(...(await insertChunk(connection, chunk)));
    return keys;
  }

  /** All or none also where the caller goes on with the transaction after an error. */
  async function insertChunksOrNone(
    connection: MysqlConnection,
    chunks: readonly Rows[],
  ): Promise<Rows> {
    await connection.query(savepoint);
    try {
      const keys = await insertChunks(connection, chunks);
      await connection.query(release);
      return keys;
    } catch (error) {
      // A deadlock has ended the whole transaction, and the savepoint with it.
      await connection.query(rollback).catch(() => undefined);
      throw error;
    }
  }

  /** The database would make a key up and could not be asked which. */
  function refusal(rows: Rows): InboxError | undefined {
    const columns = (statement.key ?? []).flatMap((value) =>
      value === 'generated' ? [] : [columnIndex(value) ?? -1],
    );
    return rows.every((row) => columns.every((column) => (row[column] ?? null) !== null))
      ? undefined
      : new InboxError(
          'enqueue-failed',
          `Queue ${queue}: a new row leaves a column of its key to the column's default, and the database cannot answer what it became. Give the key with the row.`,
          { queue },
        );
  }

  return {
    async insert(rows) {
      const refused = refusal(rows);
      if (refused !== undefined) throw refused;
      const chunks = chunksOf(rows, statement);
      const answer = await (chunks.length === 1
        ? session.alone((connection) => insertChunk(connection, rows))
        : session.transact((connection) => insertChunks(connection, chunks)));
      if (answer.kind === 'failed') throw answer.error;
      return answer.result;
    },
    insertInto(tx, rows) {
      const connection = connectionOf(tx);
      if (connection === undefined) {
        return Promise.reject(
          new InboxError(
            'wrong-transaction',
            `Queue ${queue}: "tx" is no connection of mysql2. Give the connection that your transaction runs on (await pool.getConnection()), not the pool.`,
            { queue },
          ),
        );
      }
      const refused = refusal(rows);
      if (refused !== undefined) return Promise.reject(refused);
      const chunks = chunksOf(rows, statement);
      return chunks.length === 1
        ? insertChunk(connection, rows)
        : insertChunksOrNone(connection, chunks);
    },
  };
}

/** Waits for both, so that the second is not left without anybody who hears of its failure. */
async function bothOf<First, Second>(
  first: Promise<First>,
  second: Promise<Second> | undefined,
): Promise<[First, Second | undefined]> {
  const [one, other] = await Promise.allSettled([first, second]);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}

/**
 * The numbers that the rows of one INSERT were given: consecutive ones, a fixed step apart, since
 * the server knows from the text how many it needs.
 */
async function numbersOf(
  connection: MysqlConnection,
  answer: unknown,
  numbers: unknown,
): Promise<(index: number) => string> {
  const first = insertIdOf(answer);
  if (numbers === undefined && first !== undefined) return () => first;
  const rows = (numbers ?? (await connection.query(readNumbers))[0]) as readonly MysqlRow[];
  const [[start, step] = []] = rows;
  return (index) => String(BigInt(start ?? 0) + BigInt(index) * BigInt(step ?? 1));
}

/** The driver's own word for the number, where that is exact: it rounds large ones, or turns them negative. */
function insertIdOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('insertId' in answer)) return undefined;
  const { insertId } = answer;
  return typeof insertId === 'number' && Number.isSafeInteger(insertId) && insertId >= 0
    ? String(insertId)
    : undefined;
}

/** A pool also has `execute`, but what it runs is outside every transaction. */
function connectionOf(tx: unknown): MysqlConnection | undefined {
  if (typeof tx !== 'object' || tx === null || 'getConnection' in tx) return undefined;
  const { promise } = tx as { promise?: unknown };
  // A connection of mysql2 itself, whose promises stand behind `promise()`.
  const connection = (
    typeof promise === 'function' ? (promise as () => unknown).call(tx) : tx
  ) as Partial<MysqlConnection>;
  return typeof connection.execute === 'function' && typeof connection.query === 'function'
    ? uncast(connection as MysqlConnection)
    : undefined;
}
