import type { Cell } from '../../statement.js';

/**
 * `count` cells as the text of one Postgres array, so that no setting of the driver decides how an
 * array is sent.
 */
export function arrayText(count: number, cellAt: (index: number) => Cell | undefined): string {
  let text = '{';
  for (let index = 0; index < count; index += 1) {
    if (index > 0) text += ',';
    text += elementText(cellAt(index) ?? null);
  }
  return `${text}}`;
}

function elementText(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') {
    return bareElement.test(cell) ? cell : `"${cell.replace(special, '\\$&')}"`;
  }
  // The backslash of `\x` is itself escaped inside an element.
  return cell instanceof Uint8Array ? `"\\${bytesText(cell)}"` : String(cell);
}

function bytesText(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `\\x${view.toString('hex')}`;
}

const bareElement = /^-?\d+$/;
const special = /["\\]/g;
