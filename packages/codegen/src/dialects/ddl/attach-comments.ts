import type { Span } from '../../source/source.js';
import type { SourceStatement } from '../../source/statements.js';
import type { StrayReason } from '../../source/stray-annotations.js';
import type { Token } from '../../source/token.js';
import type { CreateTable } from './create-table.js';
import type { Stretch } from './token-cursor.js';

/** The comments of a CREATE TABLE, each at what it is about. */
export interface AttachedComments {
  readonly table: readonly Token[];
  /** In file order, for every element that has some. */
  readonly elements: ReadonlyMap<Stretch, readonly Token[]>;
  readonly stray: readonly { readonly comment: Token; readonly reason: StrayReason }[];
}

/**
 * Says what each comment of a CREATE TABLE is about. A comment inside an element, beside its last
 * line or its comma, or above it belongs to the element; one before the columns to the table.
 */
export function attachComments(
  statement: SourceStatement,
  { open, elements, close }: CreateTable,
): AttachedComments {
  const table = [...statement.leading];
  const attached = new Map<Stretch, Token[]>();
  const stray: { comment: Token; reason: StrayReason }[] = [];
  const code = statement.tokens;
  const lines = lineBreaksIn(statement.span);
  for (const comment of statement.inner) {
    if (comment.span.start < open.span.start) {
      table.push(comment);
    } else if (comment.span.start > close.span.start) {
      stray.push({ comment, reason: behindTheTable });
    } else if (isBesideOpening(surroundings(comment, code, lines), open)) {
      table.push(comment);
    } else {
      const element = elementOf(surroundings(comment, code, lines), elements);
      if (element === undefined) {
        stray.push({ comment, reason: beforeTheEnd });
      } else {
        const comments = attached.get(element) ?? [];
        comments.push(comment);
        attached.set(element, comments);
      }
    }
  }
  return { table, elements: attached, stray };
}

const behindTheTable: StrayReason = {
  why: 'it stands behind the closing parenthesis of the table',
  help: 'put it directly above the CREATE TABLE, or beside a column; is a semicolon missing?',
};

const beforeTheEnd: StrayReason = {
  why: 'no column follows it',
  help: 'put it beside the column, on the line where it ends, or on a line above the column',
};

/** A comment that ends the line of the opening parenthesis: `CREATE TABLE jobs ( -- @inbox`. */
function isBesideOpening({ before, beside, inFront }: Surroundings, open: Token): boolean {
  return before === open && beside && !inFront;
}

/** A comment and the code next to it. */
interface Surroundings {
  readonly comment: Token;
  readonly before: Token | undefined;
  readonly after: Token | undefined;
  /** Code stands before it on its line. */
  readonly beside: boolean;
  /** Code stands behind it on its last line. */
  readonly inFront: boolean;
}

function surroundings(
  comment: Token,
  code: readonly Token[],
  lineBreaks: readonly number[],
): Surroundings {
  const at = firstBehind(comment.span.start, code, ({ span }) => span.start);
  const before = code[at - 1];
  const after = code[at];
  const sameLine = (from: number, to: number): boolean =>
    (lineBreaks[firstBehind(from - 1, lineBreaks, (offset) => offset)] ?? Infinity) >= to;
  return {
    comment,
    before,
    after,
    beside: before !== undefined && sameLine(before.span.end, comment.span.start),
    inFront: after !== undefined && sameLine(comment.span.end, after.span.start),
  };
}

function lineBreaksIn({ source, start, end }: Span): readonly number[] {
  return [...source.text.slice(start, end).matchAll(/[\n\r]/g)].map(({ index }) => start + index);
}

function elementOf(
  { comment, after, beside, inFront }: Surroundings,
  elements: readonly Stretch[],
): Stretch | undefined {
  const at = firstBehind(comment.span.start, elements, ({ tokens }) => startOf(tokens));
  const following = elements[at];
  const current = elements[at - 1];
  if (current !== undefined && comment.span.end <= endOf(current.tokens)) return current;
  // On a line of its own, or in front of a column: it is about what follows.
  const leads = inFront && following?.tokens[0] === after;
  return !beside || leads ? following : current;
}

/** The index of the first item that starts behind an offset, of items in file order. */
function firstBehind<Item>(
  offset: number,
  items: readonly Item[],
  start: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && start(item) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function startOf(tokens: readonly Token[]): number {
  return tokens[0]?.span.start ?? Infinity;
}

function endOf(tokens: readonly Token[]): number {
  return tokens.at(-1)?.span.end ?? -Infinity;
}
