import { InboxError } from '../../errors/inbox-error.js';
import type { Cell } from '../../statement.js';
import type { Fence, Settled, Settlement } from '../database.js';
import { heldPlace } from '../places.js';
import { rowsOf, type MysqlConnection, type MysqlQuery, type MysqlRow } from './pool.js';
import type { MysqlAnswer, MysqlSession } from './session.js';
import type { MysqlTable } from './table.js';
import { listBinder, type ListBinder, type SingleValues } from './values.js';

/** An answer is waited for at least so long, in milliseconds, however short a lease is. */
const leastAnswerTimeout = 1_000;

/**
 * The settling of a table's rows: one short transaction for a batch, which first locks the rows
 * that nobody else has locked and reads their fences, and then writes exactly those that are ours,
 * one statement a verb (and a delay). It never waits for a row. Extensions settle beside the other
 * verbs, on a connection of their own.
 */
export function mysqlSettler(
  session: MysqlSession,
  table: MysqlTable,
): (settlements: readonly Settlement[]) => Promise<readonly Settled[]> {
  const { clock } = session;
  const { statements } = table;
  const lists = {
    own: listBinder(statements.own, table, clock),
    seen: listBinder(statements.seen, table, clock),
    ack: listBinder(statements.ack, table, clock),
    retry: listBinder(statements.retry, table, clock),
    release: listBinder(statements.release, table, clock),
    extend: listBinder(statements.extend, table, clock),
  };
  const fenceWidth = heldPlace(table) + (table.counted ? 2 : 1);

  /** Rows by their key's text. A collation may find a row under another text than was asked. */
  async function read(
    connection: MysqlConnection,
    queries: readonly MysqlQuery[],
  ): Promise<ReadonlyMap<string, MysqlRow>> {
    const found = new Map<string, MysqlRow>();
    for (const query of queries) {
      for (const row of await rowsOf(connection, query)) found.set(keyText(row), row);
    }
    return found;
  }

  const keyText = (cells: readonly Cell[]): string =>
    table.keyWidth === 1 ? String(cells[0]) : JSON.stringify(cells.slice(0, table.keyWidth));

  const carries = (row: MysqlRow | undefined, fence: Fence): boolean => {
    if (row === undefined) return false;
    for (let place = table.keyWidth; place < fenceWidth; place += 1) {
      if (row[place] !== fence[place]) return false;
    }
    return true;
  };

  async function settleIn(
    connection: MysqlConnection,
    settlements: readonly Settlement[],
    lease: number,
  ): Promise<readonly Settled[]> {
    const sentAt = clock.monotonic();
    const fences = settlements.map(({ fence }) => fence);
    const owned = await read(connection, lists.own({ lease }, fences));
    const others = fences.filter((fence) => !owned.has(keyText(fence)));
    const seen = await read(connection, lists.seen({}, others));

    const writes = writesOf();
    const settled = settlements.map((settlement): Settled => {
      const { fence } = settlement;
      const row = owned.get(keyText(fence));
      if (row === undefined) {
        return { state: carries(seen.get(keyText(fence)), fence) ? 'busy' : 'lost' };
      }
      if (!carries(row, fence)) return { state: 'lost' };
      const until = row[fenceWidth] ?? null;
      writes.add(settlement, until);
      return settlement.verb === 'extend'
        ? { state: 'done', sentAt, held: until }
        : { state: 'done', sentAt };
    });
    for (const query of writes.queries(lists)) await connection.execute(query);
    return settled;
  }

  async function settleAlike(
    settlements: readonly Settlement[],
    lease: number,
  ): Promise<readonly Settled[]> {
    // An extension that is not answered is tried on another connection while the lease still holds.
    const answer = await session.transact(
      (connection) => settleIn(connection, settlements, lease),
      lease === 0 ? undefined : Math.max(Math.ceil(lease / 4), leastAnswerTimeout),
    );
    if (answer.kind === 'done') return answer.result;
    if (
      answer.failure === 'statement' &&
      settlements.length > 1 &&
      !(answer.error instanceof InboxError)
    ) {
      // Some row breaks a constraint or fails in a trigger: halves find it, the others are settled.
      const middle = settlements.length >> 1;
      const left = await settleAlike(settlements.slice(0, middle), lease);
      const right = await settleAlike(settlements.slice(middle), lease);
      return [...left, ...right];
    }
    return failedRows(settlements.length, answer);
  }

  return async (settlements) => {
    const groups = alike(settlements);
    const settled = new Array<Settled>(settlements.length);
    await Promise.all(
      [...groups].map(async ([lease, places]) => {
        const rows = places.flatMap((place) => settlements[place] ?? []);
        const answers = await settleAlike(rows, lease);
        answers.forEach((answer, index) => {
          const place = places[index];
          if (place !== undefined) settled[place] = answer;
        });
      }),
    );
    return settled;
  };
}

/** The places of the settlements that one transaction can do, by the lease of the extensions. */
function alike(settlements: readonly Settlement[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  settlements.forEach((settlement, place) => {
    const lease = settlement.verb === 'extend' ? settlement.lease : 0;
    const places = groups.get(lease);
    if (places === undefined) groups.set(lease, [place]);
    else places.push(place);
  });
  return groups;
}

/** What one transaction writes: rows by verb, and by the one value that the verb has. */
interface Writes {
  /** `until` is the expiry that an extension gives the row. */
  add(settlement: Settlement, until: Cell): void;
  queries(lists: Readonly<Record<Settlement['verb'], ListBinder>>): readonly MysqlQuery[];
}

function writesOf(): Writes {
  const groups = new Map<
    string,
    { readonly verb: Settlement['verb']; readonly values: SingleValues; readonly rows: Fence[] }
  >();
  return {
    add(settlement, until) {
      const { verb, fence } = settlement;
      const values: SingleValues =
        verb === 'retry' ? { after: settlement.after } : verb === 'extend' ? { held: until } : {};
      const group = `${verb} ${String(values.after ?? values.held)}`;
      const found = groups.get(group);
      if (found === undefined) groups.set(group, { verb, values, rows: [fence] });
      else found.rows.push(fence);
    },
    queries: (lists) =>
      [...groups.values()].flatMap(({ verb, values, rows }) => lists[verb](values, rows)),
  };
}

function failedRows(
  count: number,
  answer: Extract<MysqlAnswer<readonly Settled[]>, { kind: 'failed' }>,
): readonly Settled[] {
  const { error, failure, ambiguous, result } = answer;
  const transient = failure !== 'statement';
  return Array.from({ length: count }, (_, index): Settled => {
    const known = ambiguous ? result?.[index] : undefined;
    // A row that was found to be somebody else's stays so, whatever became of the COMMIT.
    if (known?.state === 'lost' || known?.state === 'busy') return known;
    const failed = { state: 'failed', error, ambiguous, transient } as const;
    return known?.state === 'done' && known.held !== undefined
      ? { ...failed, held: known.held }
      : failed;
  });
}
