import type { ListStatement, Statement } from 'inbox-runtime/v1';

/** What a generated spec holds of statements, whatever its table. */
export interface AnySpec {
  readonly table: string;
  readonly statements: Readonly<
    Partial<Record<string, Readonly<Record<string, Statement | ListStatement>>>>
  >;
}

/** The specs that a generated module, or a folder's index, exports. */
export function specsOf(
  exported: object,
): readonly { readonly name: string; readonly spec: AnySpec }[] {
  return Object.entries(exported)
    .filter(([name]) => name.endsWith('Spec'))
    .map(([name, spec]) => ({ name, spec: spec as AnySpec }));
}

/** A statement's text, and how many values it takes, for so many rows where it is one for a list. */
export function forRows(
  statement: Statement | ListStatement,
  rows: number,
): { readonly text: string; readonly count: number } {
  return 'each' in statement
    ? {
        text: statement.text(rows),
        count: statement.values.length + rows * statement.each.length,
      }
    : { text: statement.text, count: statement.values.length };
}
