import type { Cell, ListStatement } from '../../statement.js';

type Rows = readonly (readonly Cell[])[];

/**
 * How many rows go into one INSERT: the longest of these that there are rows for, so that the
 * number of texts is bounded.
 */
const chunkSizes = [512, 64, 8, 1] as const;
/** So many characters or bytes, about, that a server with small packets takes them. */
const chunkLength = 1_000_000;
/** The protocol numbers the values of a statement with 16 bits. */
const mostValues = 65_535;

/** Splits new rows into the rows of one INSERT each. */
export function chunksOf(rows: Rows, statement: ListStatement): readonly Rows[] {
  const most = mostValues - statement.values.length;
  const sizes = chunkSizes.filter((size) => size * statement.each.length <= most);
  const chunks: Rows[] = [];
  let start = 0;
  while (start < rows.length) {
    const fitting = countThatFits(rows, start, sizes[0] ?? 1);
    const size = sizes.find((rowsInOne) => rowsInOne <= fitting) ?? 1;
    chunks.push(rows.slice(start, start + size));
    start += size;
  }
  return chunks;
}

/** How many rows from `start` on, at most `most`, are short enough together; at least one. */
function countThatFits(rows: Rows, start: number, most: number): number {
  let length = 0;
  let count = 0;
  while (count < most) {
    const row = rows[start + count];
    if (row === undefined) break;
    for (const cell of row) {
      if (typeof cell === 'string' || cell instanceof Uint8Array) length += cell.length;
    }
    if (count > 0 && length > chunkLength) break;
    count += 1;
  }
  return count;
}
