import type { ProcessHistory } from './history.js';
import { readTenures, type Tenure, type Violation } from './tenures.js';

/** A run of several worker processes on one table. */
export interface Run {
  readonly processes: readonly ProcessHistory[];
  /** The rows that were in the table before anybody worked. */
  readonly enqueued: readonly string[];
  /** The rows that were in the table when everybody had ended. */
  readonly left: readonly string[];
  /** How long every claim and extension held a row, in the unit of the fences. */
  readonly lease: bigint;
  /**
   * How many claims and settlements may be missing from the histories because a process was killed
   * between the commit and the line about it: the rows that it may have held. Zero where nobody was
   * killed.
   */
  readonly unlogged: number;
}

/**
 * Reads the histories of all processes together and answers everything that must not be:
 *
 * - at any time a row has one owner: in the order of the fences, a claim comes after the last
 *   owner's settlement, or after the expiry that the last owner wrote;
 * - only the owner settles, with the fence it last wrote, and only once; after an acknowledgement
 *   or a drop the row is never claimed again;
 * - attempts count from 1, one more after a retry or a lost lease, the same after a release;
 * - who is told that its lease is lost has lost it to somebody;
 * - no row disappears without an acknowledgement or a drop, and none stays after one.
 */
export function checkHistories(run: Run): readonly Violation[] {
  const { tenures, violations: unowned } = readTenures(run.processes);
  const rows = new Map<string, Tenure[]>(run.enqueued.map((id) => [id, []]));
  const violations = [...unowned];
  let unlogged = run.unlogged;

  for (const tenure of tenures) {
    const row = rows.get(tenure.id);
    if (row === undefined) {
      const message = `${tenure.process} claimed a row that nobody enqueued`;
      violations.push({ rule: 'unknown-row', id: tenure.id, message });
    } else {
      row.push(tenure);
    }
  }
  const left = new Set(run.left);
  for (const [id, row] of rows) {
    row.sort(byFence);
    const answer = checkRow(id, row, left.has(id), run.lease, unlogged);
    unlogged = answer.unlogged;
    violations.push(...answer.violations);
  }
  return violations;
}

function byFence(a: Tenure, b: Tenure): number {
  if (a.first !== b.first) {
    return a.first < b.first ? -1 : 1;
  }
  // A row that was given back may be claimed again within the fence's unit.
  return a.attempt - b.attempt || Number(a.end === 'open') - Number(b.end === 'open');
}

function checkRow(
  id: string,
  row: readonly Tenure[],
  left: boolean,
  lease: bigint,
  budget: number,
): { readonly violations: readonly Violation[]; readonly unlogged: number } {
  const violations: Violation[] = [];
  let unlogged = budget;
  const add = (rule: Violation['rule'], message: string): void => {
    violations.push({ rule, id, message });
  };

  let expected = 1;
  row.forEach((tenure, index) => {
    const previous = row[index - 1];
    if (previous !== undefined) {
      const turn = checkTurn(previous, tenure, lease);
      if (turn === 'unlogged settlement' && unlogged > 0) {
        unlogged -= 1;
      } else if (turn !== 'right') {
        const rule = turn === 'after done' ? 'after-done' : 'two-owners';
        add(rule, `${say(tenure)} began when ${say(previous)} had the row`);
      }
    }
    const missing = tenure.attempt - expected;
    if (missing > 0 && missing <= unlogged) {
      unlogged -= missing;
    } else if (missing !== 0) {
      add('attempt', `${say(tenure)} should have been attempt ${String(expected)}`);
    }
    expected = tenure.attempt + (tenure.end === 'release' ? 0 : 1);

    if (tenure.end === 'lost' && row[index + 1] === undefined) {
      if (unlogged > 0) {
        unlogged -= 1;
      } else {
        add('false-loss', `${say(tenure)} was told that it had lost the row, but nobody took it`);
      }
    }
  });

  const finished = row.some(isFinished);
  if (finished && left) {
    add('settled-but-left', 'the row was finished and is still in the table');
  } else if (!finished && !left) {
    const lastHolder = row.at(-1);
    if (unlogged > 0 && (lastHolder === undefined || lastHolder.killed)) {
      unlogged -= 1;
    } else {
      add('row-lost', 'the row is gone, and nobody finished it');
    }
  }
  return { violations, unlogged };
}

/**
 * One delivery of a row and the next. The claim's moment is its expiry less the lease. A settlement
 * frees the row at some moment after the settled expiry was written; without one the row is free
 * when that expiry has passed, unless its holder was killed before it could say that it had settled.
 */
function checkTurn(
  previous: Tenure,
  next: Tenure,
  lease: bigint,
): 'right' | 'after done' | 'two owners' | 'unlogged settlement' {
  if (isFinished(previous)) {
    return 'after done';
  }
  const claimedAt = next.first - lease;
  if (claimedAt >= previous.last) {
    return 'right';
  }
  if (claimedAt < previous.last - lease) {
    return 'two owners';
  }
  if (previous.end === 'retry' || previous.end === 'release') {
    return 'right';
  }
  return previous.end === 'open' && previous.killed ? 'unlogged settlement' : 'two owners';
}

function isFinished({ end }: Tenure): boolean {
  return end === 'ack' || end === 'drop';
}

function say({ process, attempt, first, last, end }: Tenure): string {
  return `${process}'s attempt ${String(attempt)} (${String(first)} to ${String(last)}, ${end})`;
}
