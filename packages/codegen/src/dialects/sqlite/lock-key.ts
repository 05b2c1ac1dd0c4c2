import type { AdvisoryQueue } from '../../queue/queue.js';
import type { Column } from '../../table/table.js';
import { textLiteral } from './literal.js';
import { quote } from './quote.js';

/** The text of a row's lock key. No column of a key is NULL, so the key is not. */
export function keyTextSql({ lockKey }: AdvisoryQueue): string {
  return lockKey
    .map((part) => (typeof part === 'string' ? textLiteral(part) : columnTextSql(part)))
    .join(' || ');
}

function columnTextSql({ name, type }: Column): string {
  const reference = quote(name.text);
  return type.kind === 'bytes' ? `LOWER(HEX(${reference}))` : `CAST(${reference} AS TEXT)`;
}
