import type { OwnLockStatements } from '../../spec.js';
import type { Cell, Statement } from '../../statement.js';
import type { Hold, HoldSettled, HoldStore, HoldVerb } from '../hold-store.js';
import { placeInHold } from '../places.js';
import type { AdvisoryTable } from '../tables.js';
import { candidateRequest, type Candidate } from './candidate-request.js';
import { asError } from './failure.js';
import { liveHolds } from './live-holds.js';
import { lostWith, outcomeRequest } from './outcome-request.js';
import type { Locker } from './own-locker.js';
import type { RowStatement } from './settle-request.js';
import { checkedStatements, sqliteTable, type SqliteContext } from './table.js';
import { takeLockedRequest, type LockedTaken } from './take-locked-request.js';
import { namedBinder, rowBinder } from './values.js';

/** How many due rows a claim looks at beyond those that it needs and those in work. */
const margin = 8;

/** How often a claim whose candidates were all held elsewhere looks at twice as many. */
const rounds = 8;

/**
 * A table in advisory form with its author's own lock, on SQLite. No keys are kept here: what is in
 * work is what the author's lock says, which has to refuse a key that this process itself holds. A
 * claim looks at the first due rows, locks the keys that it can, and takes their rows in one
 * transaction. No connection is ever closed, since the lock lives on the author's handle; `closed`
 * says of a settlement that its lock could not be given back.
 */
export function ownLockStore(
  context: SqliteContext,
  table: AdvisoryTable<'sqlite'>,
  statements: OwnLockStatements,
  locker: Locker,
): HoldStore {
  const { connector, writer } = context;
  const { clock } = writer;
  const ofRow = (statement: Statement): RowStatement => ({
    text: statement.text,
    bind: rowBinder(statement, (value) => placeInHold(value, table), clock),
  });
  const candidates = {
    text: statements.candidates.text,
    bind: namedBinder(statements.candidates, clock),
  };
  const take = ofRow(statements.take);
  const verbs = {
    ack: ofRow(statements.ack),
    // The count was written by the claim, so a row that was not finished has only its lock to free.
    retry: undefined,
    release: statements.release === undefined ? undefined : ofRow(statements.release),
  };
  const live = liveHolds(connector);

  const candidatesOf = (count: number): Promise<readonly Candidate[]> =>
    new Promise((resolve, reject) => {
      writer.add(candidateRequest(candidates, count, writer.deadline(), { resolve, reject }));
    });
  const takeAll = (rows: readonly Candidate[]): Promise<readonly LockedTaken[]> =>
    new Promise((resolve, reject) => {
      writer.add(takeLockedRequest(take, rows, writer.deadline(), { resolve, reject }));
    });

  /** Locks the first keys that can be locked, `count` at most. Where a lock fails, none stays. */
  async function lockFirst(
    found: readonly Candidate[],
    tried: Set<string>,
    count: number,
  ): Promise<readonly Candidate[]> {
    const locked: Candidate[] = [];
    try {
      for (const candidate of found) {
        if (locked.length === count) break;
        if (tried.has(candidate.key)) continue;
        tried.add(candidate.key);
        if (await locker.lock(candidate.key)) locked.push(candidate);
      }
    } catch (error) {
      await unlockAll(locked);
      throw error;
    }
    return locked;
  }

  async function unlockAll(rows: readonly { readonly key: string }[]): Promise<void> {
    await Promise.allSettled(rows.map(({ key }) => locker.unlock(key)));
  }

  /** Takes the rows whose keys are locked, and gives back the locks of those that cannot be taken. */
  async function takeLocked(
    locked: readonly Candidate[],
    tried: Set<string>,
  ): Promise<{ readonly taken: readonly Hold[]; readonly problem?: Error }> {
    let answers: readonly LockedTaken[];
    try {
      answers = await takeAll(locked);
    } catch (error) {
      await unlockAll(locked);
      throw error;
    }
    const taken: Hold[] = [];
    const left: Candidate[] = [];
    locked.forEach((candidate, index) => {
      const answer = answers[index];
      if (answer?.state === 'taken') {
        taken.push(held(candidate.key, answer.cells));
        return;
      }
      left.push(candidate);
      // A row was settled meanwhile; another of its key may be due.
      if (answer?.state === 'stale') tried.delete(candidate.key);
    });
    await unlockAll(left);
    const refused = answers.find((answer) => answer.state === 'refused');
    return { taken, ...(refused !== undefined && { problem: asError(refused.error) }) };
  }

  /**
   * Takes up to `limit` of the due rows that were found, into `holds`. A row that the database does
   * not let be taken is left out, so that those behind it are still worked; answers its error.
   */
  async function takeFirst(
    found: readonly Candidate[],
    tried: Set<string>,
    limit: number,
    holds: Hold[],
  ): Promise<Error | undefined> {
    let problem: Error | undefined;
    for (let left = found; ;) {
      const locked = await lockFirst(left, tried, limit - holds.length);
      if (locked.length === 0) return problem;
      const answer = await takeLocked(locked, tried);
      holds.push(...answer.taken);
      problem ??= answer.problem;
      left = left.filter((candidate) => !locked.includes(candidate));
    }
  }

  function held(key: string, cells: readonly Cell[]): Hold {
    return live.add({
      cells,
      lockKey: key,
      // The author's lock goes on protecting the row until the handler is done.
      end: () => undefined,
      settle: async (verb, ended) => {
        const settled = await write(verb, cells, ended);
        try {
          if (await locker.unlock(key)) return settled;
        } catch (error) {
          return { ...settled, closed: true, unlockProblem: asError(error) };
        }
        const notHeld = new Error(`The key '${key}' was not locked any more.`);
        // Where nothing was written, that the lock was held is all that can prove the row was ours.
        return verbs[verb] === undefined || settled.state === 'lost'
          ? { ...lostWith(notHeld), closed: true }
          : { ...settled, closed: true, unlockProblem: notHeld };
      },
    });
  }

  function write(
    verb: HoldVerb,
    cells: readonly Cell[],
    ended: () => unknown,
  ): Promise<HoldSettled> {
    const statement = verbs[verb];
    if (statement === undefined) {
      const why = ended();
      return Promise.resolve(why === undefined ? { state: 'done', closed: false } : lostWith(why));
    }
    return new Promise((resolve) => {
      writer.add(
        outcomeRequest({ statement, cells, lost: ended }, writer.deadlineOf(verb), resolve),
      );
    });
  }

  return {
    ...sqliteTable(context, table, plain(statements.insert), [
      ...checkedStatements({
        candidates: statements.candidates,
        take: statements.take,
        ack: statements.ack,
        release: statements.release,
        insert: plain(statements.insert),
      }),
      ...checkedStatements({ lock: statements.lock, unlock: statements.unlock }).map(
        (statement) => ({ ...statement, onGiven: true }),
      ),
    ]),
    rowsPerClaim: Infinity,
    async claim(limit, { busy }) {
      const tried = new Set<string>();
      const holds: Hold[] = [];
      let problem: Error | undefined;
      let more = true;
      for (let round = 0; more && round < rounds && holds.length < limit; round += 1) {
        const count = (limit + busy + margin) * 2 ** round;
        try {
          const found = await candidatesOf(count);
          problem ??= await takeFirst(found, tried, limit, holds);
          more = found.length === count;
        } catch (error) {
          problem = asError(error);
          more = false;
        }
      }
      // What could be taken is worked; the next claim meets the problem again.
      if (holds.length === 0 && problem !== undefined) throw problem;
      return holds;
    },
  };
}

/** On SQLite a row is inserted by a plain statement. */
function plain(insert: OwnLockStatements['insert']): Statement {
  const { text, values } = insert;
  if (typeof text !== 'string') throw new Error('An insert on SQLite is one text.');
  return { text, values };
}
