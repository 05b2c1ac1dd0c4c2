import type { Span } from '../../source/source.js';
import type { SourceStatement } from '../../source/statements.js';
import { isWord, spanOf } from '../../source/token.js';
import type { Name, Table } from '../../table/table.js';
import { nameOf, readQualifiedName, type NameKinds } from './name.js';
import { cursorOver, splitAt } from './token-cursor.js';

/** A foreign key's `REFERENCES jobs (id)`: the table and columns that it names, and where. */
export interface Reference {
  readonly schema?: Name;
  readonly name: Name;
  /** None where the primary key is meant untold. */
  readonly columns: readonly string[];
  readonly span: Span;
}

const nameKinds: NameKinds = new Set(['word', 'name'] as const);

/** What foreign keys reference, in all statements of a schema, whatever they are. */
export function referencesIn(statements: readonly SourceStatement[]): readonly Reference[] {
  return statements.flatMap(({ tokens }) =>
    tokens.flatMap((token, at): readonly Reference[] => {
      if (!isWord(token, 'REFERENCES')) return [];
      const cursor = cursorOver(tokens.slice(at + 1, at + 1 + longestReference));
      const target = readQualifiedName(cursor, nameKinds);
      const last = cursor.peek(-1);
      if (target?.kind !== 'name' || last === undefined) return [];
      const { name, schema } = target;
      const columns = splitAt(',', cursor.skipGroup() ?? []).flatMap(
        (part) => nameOf(part.tokens[0], nameKinds)?.text ?? [],
      );
      const span = spanOf(token.span.source, token, last);
      return [{ name, ...(schema && { schema }), columns, span }];
    }),
  );
}

/** A name of three parts, and as many columns as an index of any of the databases has. */
const longestReference = 80;

/**
 * A table with the references to its primary key or a part of it. Case may count in names or not, by
 * the server's disk: it does not here.
 */
export function withReferences(table: Table, all: readonly Reference[]): Table {
  const references = all.filter(
    ({ name, schema, columns }) =>
      isSame(name.text, table.name.text) &&
      columns.every((column) => table.primaryKey.some((key) => isSame(key, column))) &&
      (schema === undefined ||
        table.schema === undefined ||
        isSame(schema.text, table.schema.text)),
  );
  return { ...table, references: references.map(({ span }) => span) };
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
