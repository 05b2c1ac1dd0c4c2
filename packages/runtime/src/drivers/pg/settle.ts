import { InboxError } from '../../errors/inbox-error.js';
import type { Settled, Settlement } from '../database.js';
import type { LeaseTable } from '../tables.js';
import { sqlState } from './failure.js';
import type { PgRow } from './pool.js';
import type { PgAnswer, PgSending, PgSession, PgText } from './session.js';
import { pgText } from './text.js';
import { settleBinder, type SettleBinder } from './values.js';

/**
 * The settling of a table's rows: one statement for all rows of one verb (and, for extensions, one
 * lease). The verbs of one batch go out side by side, on as many connections as there are verbs.
 */
export function pgSettler(
  session: PgSession,
  table: LeaseTable<'postgres'>,
): (settlements: readonly Settlement[]) => Promise<readonly Settled[]> {
  const statements = table.statements.postgres;
  const settle = (verb: Settlement['verb']): VerbStatement => ({
    text: pgText(statements[verb]),
    bind: settleBinder(statements[verb], table, session.clock),
  });
  const verbs = {
    ack: settle('ack'),
    retry: settle('retry'),
    release: settle('release'),
    extend: settle('extend'),
  };

  async function settleAlike(rows: readonly Settlement[]): Promise<readonly Settled[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const { text, bind } = verbs[first.verb];
    const lease = first.verb === 'extend' ? first.lease : 0;
    // An extension must know both expiries that a row may have after a COMMIT without answer, or
    // the next settlement would take the row for lost.
    const how = first.verb === 'extend' ? extending(session, lease) : undefined;
    const answer = await session.send(text, bind(rows, lease), how);
    if (answer.kind === 'rows') return settledRows(rows.length, answer.rows, answer.sentAt);
    if (isOfSomeRow(answer) && rows.length > 1) {
      // Some row breaks a constraint, fails in a trigger or has a child that is locked: halves find
      // it, the others are settled.
      const middle = rows.length >> 1;
      const left = await settleAlike(rows.slice(0, middle));
      const right = await settleAlike(rows.slice(middle));
      return [...left, ...right];
    }
    return sqlState(answer.error) === lockNotAvailable
      ? [{ state: 'busy' }]
      : failedRows(rows.length, answer);
  }

  return async (settlements) => {
    const groups = alike(settlements);
    if (groups.length === 1) return settleAlike(settlements);
    const settled = new Array<Settled>(settlements.length);
    await Promise.all(
      groups.map(async (places) => {
        const rows = places.flatMap((place) => settlements[place] ?? []);
        const answers = await settleAlike(rows);
        answers.forEach((answer, index) => {
          const place = places[index];
          if (place !== undefined) settled[place] = answer;
        });
      }),
    );
    return settled;
  };
}

/**
 * One connection that has frozen must not use up the lease: an extension that is not answered within
 * a quarter of it is sent again, on another connection.
 */
function extending({ answerTimeout }: PgSession, lease: number): PgSending {
  const quarter = Math.max(lease / 4, leastAnswerTimeout);
  return { knowing: true, answerTimeout: Math.min(answerTimeout, quarter) };
}

/** However short a lease, a busy server is given so many milliseconds to answer. */
const leastAnswerTimeout = 500;

/** A lock that was waited for longer than the session's `lock_timeout`. */
const lockNotAvailable = '55P03';
/** A statement that took longer than the session's `statement_timeout`. */
const queryCanceled = '57014';

/** Whether a statement failed for what it did to one of its rows. */
function isOfSomeRow({ error, failure }: Extract<PgAnswer, { kind: 'failed' }>): boolean {
  const state = sqlState(error);
  if (state === lockNotAvailable || state === queryCanceled) return true;
  return failure === 'statement' && !(error instanceof InboxError);
}

interface VerbStatement {
  readonly text: PgText;
  readonly bind: SettleBinder;
}

/** The places of the settlements that one statement can do, grouped. */
function alike(settlements: readonly Settlement[]): readonly (readonly number[])[] {
  const groups = new Map<string | number, number[]>();
  settlements.forEach((settlement, place) => {
    const group = settlement.verb === 'extend' ? settlement.lease : settlement.verb;
    const places = groups.get(group);
    if (places === undefined) groups.set(group, [place]);
    else places.push(place);
  });
  return [...groups.values()];
}

function settledRows(count: number, rows: readonly PgRow[], sentAt: number): readonly Settled[] {
  const settled = new Array<Settled>(count).fill({ state: 'lost' });
  const done: Settled = { state: 'done', sentAt };
  for (const row of rows) {
    const place = Number(row[0]) - 1;
    const held = row[2] ?? undefined;
    if (row[1] === 'busy') settled[place] = { state: 'busy' };
    else if (row[1] === 'done') settled[place] = held === undefined ? done : { ...done, held };
  }
  return settled;
}

function failedRows(
  count: number,
  answer: Extract<PgAnswer, { kind: 'failed' }>,
): readonly Settled[] {
  const { error, failure, ambiguous, rows } = answer;
  const transient = failure !== 'statement';
  const settled = new Array<Settled>(count).fill({ state: 'failed', error, ambiguous, transient });
  if (!ambiguous || rows === undefined) return settled;
  for (const [n, , held] of rows) {
    if (held !== undefined && held !== null) {
      settled[Number(n) - 1] = { state: 'failed', error, ambiguous, transient, held };
    }
  }
  return settled;
}
