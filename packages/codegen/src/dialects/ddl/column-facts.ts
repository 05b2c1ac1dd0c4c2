import type { Span } from '../../source/source.js';
import { spanOf, sqlOf, type Token } from '../../source/token.js';
import type { Generated } from '../../table/table.js';

/** What a column's attributes say, as they are read one by one. */
export interface ColumnFacts {
  notNull?: Span;
  default?: { readonly sql: string; readonly span: Span };
  generated?: Generated;
  onUpdate?: Span;
  /** PRIMARY KEY stands beside the column; `descending` where DESC follows. */
  primaryKey?: { readonly descending: boolean };
}

/** Keeps a default as it is written; NULL, cast or not, is none. */
export function setDefault(facts: ColumnFacts, tokens: readonly Token[], sql?: string): void {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return;
  const written = sqlOf(tokens);
  if (/^\(*NULL\)*(?:\s*::[^()]+)?$/i.test(written)) return;
  facts.default = { sql: sql ?? written, span: spanOf(first.span.source, first, last) };
}
