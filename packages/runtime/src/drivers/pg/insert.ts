import { InboxError } from '../../errors/inbox-error.js';
import type { Cell, Statement } from '../../statement.js';
import { failureKind } from './failure.js';
import type { PgClient, PgRow } from './pool.js';
import { unnamed, type PgSession } from './session.js';
import { pgText } from './text.js';
import { begin, commit } from './transaction.js';
import { insertBinder } from './values.js';

type Rows = readonly (readonly Cell[])[];

/** The two ways in: a transaction of our own, or the caller's. */
export interface PgInserter {
  insert(rows: Rows): Promise<Rows>;
  insertInto(tx: unknown, rows: Rows): Promise<Rows>;
}

/** At most so many rows, or about so many characters, go into one statement. */
const chunkRows = 1_000;
const chunkLength = 4_000_000;

/** How often a transaction of several chunks that gave way to another is done again. */
const triesWhereGivenWay = 5;

/** The inserting of a table's rows, with one statement text whatever their number. */
export function pgInserter(session: PgSession, queue: string, statement: Statement): PgInserter {
  const text = pgText(statement);
  const bind = insertBinder(statement, session.clock);

  // Without a name: in a transaction, a session that has lost a prepared one could not go on.
  async function insertChunks(client: PgClient, chunks: readonly Rows[]): Promise<Rows> {
    const keys: PgRow[] = [];
    for (const chunk of chunks) {
      const { rows } = await client.query(unnamed(text, bind(chunk)));
      keys.push(...(rows as PgRow[]));
    }
    return keys;
  }

  return {
    async insert(rows) {
      const chunks = chunksOf(rows);
      if (chunks.length <= 1) {
        const answer = await session.send(text, bind(rows));
        if (answer.kind === 'rows') return answer.rows;
        throw answer.error;
      }
      for (let tries = 1; ; tries += 1) {
        try {
          return await session.withClient(async (client) => {
            await client.query(begin);
            const keys = await insertChunks(client, chunks);
            await client.query(commit);
            return keys;
          });
        } catch (error) {
          if (failureKind(error) !== 'again' || tries >= triesWhereGivenWay) throw error;
        }
      }
    },
    insertInto(tx, rows) {
      return isClient(tx)
        ? insertChunks(tx, chunksOf(rows))
        : Promise.reject(
            new InboxError(
              'wrong-transaction',
              `Queue ${queue}: "tx" is no pg client. Give the client that your transaction runs on (await pool.connect()), not the pool.`,
              { queue },
            ),
          );
    },
  };
}

function chunksOf(rows: Rows): readonly Rows[] {
  const chunks: Rows[] = [];
  let start = 0;
  let length = 0;
  rows.forEach((row, index) => {
    if (index > start && (index - start >= chunkRows || length >= chunkLength)) {
      chunks.push(rows.slice(start, index));
      start = index;
      length = 0;
    }
    for (const cell of row) {
      if (typeof cell === 'string' || cell instanceof Uint8Array) length += cell.length;
    }
  });
  if (start < rows.length) chunks.push(start === 0 ? rows : rows.slice(start));
  return chunks;
}

/** A pool also has `query`, but what it runs is outside every transaction. */
function isClient(tx: unknown): tx is PgClient {
  return (
    typeof tx === 'object' &&
    tx !== null &&
    'query' in tx &&
    typeof tx.query === 'function' &&
    !('totalCount' in tx)
  );
}
