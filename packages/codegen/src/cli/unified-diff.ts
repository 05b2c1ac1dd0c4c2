/** How many equal lines stand around a change. */
const context = 3;

/** A line of a diff: in both texts, only in the old one, or only in the new one. */
interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * The difference of two texts as `diff -u` prints it, for `patch` and for people. An absent text is
 * `/dev/null`, as for a file that is created or removed. Empty where the texts are equal.
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === after) return '';
  const lines = diffLines(linesOf(before), linesOf(after));
  const head = `--- ${before === undefined ? '/dev/null' : path}\n+++ ${after === undefined ? '/dev/null' : path}\n`;
  return head + hunksOf(lines).join('');
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** The shortest edit from one list of lines to another, by Myers' algorithm between equal ends. */
function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const limit = Math.min(before.length, after.length) - start;
  while (end < limit && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ mark: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...shortestEdit(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
    ),
    ...before.slice(before.length - end).map(same),
  ];
}

function shortestEdit(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length === 0) return after.map((text) => ({ mark: '+', text }));
  if (after.length === 0) return before.map((text) => ({ mark: '-', text }));
  const reached = new Map<number, number>([[1, 0]]);
  const trace: ReadonlyMap<number, number>[] = [];
  const total = before.length + after.length;
  for (let edits = 0; edits <= total; edits++) {
    trace.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = goesDown(reached, diagonal, edits)
        ? (reached.get(diagonal + 1) ?? 0)
        : (reached.get(diagonal - 1) ?? 0) + 1;
      while (
        x < before.length &&
        x - diagonal < after.length &&
        before[x] === after[x - diagonal]
      ) {
        x++;
      }
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length)
        return backtrack(trace, before, after);
    }
  }
  return [];
}

function backtrack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const down = goesDown(reached, diagonal, edits);
    const fromDiagonal = down ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : (reached.get(fromDiagonal) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - fromDiagonal;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      lines.push({ mark: ' ', text: before[x] ?? '' });
    }
    if (edits === 0) break;
    lines.push(
      down ? { mark: '+', text: after[fromY] ?? '' } : { mark: '-', text: before[fromX] ?? '' },
    );
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

/** Whether the furthest path to a diagonal comes by adding a line rather than by dropping one. */
function goesDown(reached: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1);
}

/** The changes with their surroundings, those whose surroundings touch in one hunk. */
function hunksOf(lines: readonly DiffLine[]): readonly string[] {
  const changes = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changes) {
    const last = ranges.at(-1);
    const from = Math.max(0, index - context);
    const to = Math.min(lines.length, index + context + 1);
    if (last !== undefined && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges.map(({ from, to }) => {
    const range = (mark: '-' | '+'): string => {
      const counts = ({ mark: each }: DiffLine): boolean => each === ' ' || each === mark;
      const before = lines.slice(0, from).filter(counts).length;
      const count = lines.slice(from, to).filter(counts).length;
      return `${mark}${count === 0 ? before : before + 1},${count}`;
    };
    const body = lines.slice(from, to).map(({ mark, text }) => `${mark}${text}\n`);
    return `@@ ${range('-')} ${range('+')} @@\n${body.join('')}`;
  });
}
