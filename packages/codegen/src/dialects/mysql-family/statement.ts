import type { ListStatement, Statement } from '../statements.js';

/** Names a value where it stands in a statement's text; answers its placeholder. */
export type Value = (name: string) => string;

/** Marks a value's place, or the list's, until the text is whole; no SQL text holds a NUL. */
const marked = /\0(\w+)\0/g;

/**
 * Makes a statement of a text. Every use of a value is a `?` of its own, listed in the order of the
 * text whatever the order in which the pieces of the text were made.
 */
export function statement(build: (value: Value) => string): Statement {
  const values: string[] = [];
  const text = build((name) => `\0${name}\0`).replace(marked, (_, name: string) => {
    values.push(name);
    return '?';
  });
  return { text, values };
}

/** What a list repeats: the SQL of one row, and what stands between two. */
export interface ListItem {
  readonly separator: string;
  readonly build: (value: Value) => string;
}

/**
 * Makes a statement with one list in it, of as many items as rows are asked for. Behind the list no
 * value may stand, since the list's values follow the others.
 */
export function listStatement(
  item: ListItem,
  build: (value: Value, list: string) => string,
): ListStatement {
  const { text, values: each } = statement(item.build);
  const [head = '', after = '', ...more] = build((name) => `\0${name}\0`, listMark).split(listMark);
  if (more.length > 0 || after.search(marked) !== -1) {
    throw new Error('a list stands once, behind every value');
  }
  const { text: before, values } = statement(() => head);
  return { before, item: text, separator: item.separator, after, values, each };
}

const listMark = '\0\0';
