import type { HoldHistory } from './hold-history.js';
import { readHoldTenures, type HoldTenure, type HoldViolation } from './hold-tenures.js';

/** A run of several worker processes on one table in row-lock or advisory form. */
export interface HoldRun {
  readonly processes: readonly HoldHistory[];
  /** The rows that were in the table before anybody worked. */
  readonly enqueued: readonly string[];
  /** The rows that were in the table when everybody had ended. */
  readonly left: readonly string[];
  /**
   * When a delivery is counted: by the claim, so that a lost one counts, or by the retry, so that
   * it does not; `never` where the table does not count.
   */
  readonly counts: 'claim' | 'retry' | 'never';
  /**
   * How many claims and settlements may be missing from the histories because a process was killed
   * between the commit and the line about it. Zero where nobody was killed.
   */
  readonly unlogged: number;
}

/**
 * Reads the histories of all processes together and answers everything that must not be:
 *
 * - at any time a row is in work once, and so is a key;
 * - a delivery is settled once, by the process that had it, and never after its session was lost;
 * - after an acknowledgement or a drop the row is never delivered again;
 * - attempts count from 1, as the form counts;
 * - a process that ends by itself leaves nothing unsettled;
 * - no row disappears without an acknowledgement or a drop, and none stays after one.
 */
export function checkHolds(run: HoldRun): readonly HoldViolation[] {
  const { tenures, violations: unowned } = readHoldTenures(run.processes);
  const rows = new Map<string, HoldTenure[]>(run.enqueued.map((id) => [id, []]));
  const keys = new Map<string, HoldTenure[]>();
  const violations = [...unowned];
  for (const tenure of tenures.toSorted(byStart)) {
    const row = rows.get(tenure.id);
    if (row === undefined) {
      const message = `${tenure.process} claimed a row that nobody enqueued`;
      violations.push({ rule: 'unknown-row', id: tenure.id, message });
    }
    row?.push(tenure);
    const ofKey = keys.get(tenure.key);
    if (ofKey === undefined) keys.set(tenure.key, [tenure]);
    else ofKey.push(tenure);
  }
  for (const ofKey of keys.values()) {
    violations.push(...overlaps(ofKey));
  }
  const left = new Set(run.left);
  let unlogged = run.unlogged;
  for (const [id, row] of rows) {
    const answer = checkRow(id, row, left.has(id), run.counts, unlogged);
    unlogged = answer.unlogged;
    violations.push(...answer.violations);
  }
  return violations;
}

function byStart(a: HoldTenure, b: HoldTenure): number {
  return a.from < b.from ? -1 : Number(a.from > b.from);
}

/** The deliveries of one key, in the order of their claims, that began before another had ended. */
function overlaps(tenures: readonly HoldTenure[]): readonly HoldViolation[] {
  const violations: HoldViolation[] = [];
  let last: HoldTenure | undefined;
  for (const tenure of tenures) {
    if (last !== undefined && tenure.from < last.to) {
      const rule = last.id === tenure.id ? 'two-owners' : 'two-of-a-key';
      const message = `${say(tenure)} began when ${say(last)} was in work`;
      violations.push({ rule, id: tenure.id, message });
    }
    if (last === undefined || tenure.to > last.to) last = tenure;
  }
  return violations;
}

function checkRow(
  id: string,
  row: readonly HoldTenure[],
  left: boolean,
  counts: HoldRun['counts'],
  budget: number,
): { readonly violations: readonly HoldViolation[]; readonly unlogged: number } {
  const violations: HoldViolation[] = [];
  let unlogged = budget;
  const add = (rule: HoldViolation['rule'], message: string): void => {
    violations.push({ rule, id, message });
  };

  let expected = 1;
  let done: HoldTenure | undefined;
  for (const tenure of row) {
    if (done !== undefined) add('after-done', `${say(tenure)} came after ${say(done)}`);
    const missing = tenure.attempt - expected;
    if (counts !== 'never' && missing > 0 && missing <= unlogged) {
      unlogged -= missing;
    } else if (counts !== 'never' && missing !== 0) {
      add('attempt', `${say(tenure)} should have been attempt ${String(expected)}`);
    }
    expected = tenure.attempt + counted(tenure, counts);
    if (tenure.end === 'ack' || tenure.end === 'drop') done = tenure;
  }

  if (done !== undefined && left) {
    add('settled-but-left', 'the row was finished and is still in the table');
  } else if (done === undefined && !left) {
    const last = row.at(-1);
    if (unlogged > 0 && (last === undefined || last.killed)) {
      unlogged -= 1;
    } else {
      add('row-lost', 'the row is gone, and nobody finished it');
    }
  }
  return { violations, unlogged };
}

/** By how much a delivery raises the attempt of the next. */
function counted({ end }: HoldTenure, counts: HoldRun['counts']): number {
  return counts === 'claim' ? Number(end !== 'release') : Number(end === 'retry');
}

function say({ process, id, attempt, from, to, end }: HoldTenure): string {
  return `${process}'s attempt ${String(attempt)} of ${id} (${String(from)} to ${String(to)}, ${end})`;
}
