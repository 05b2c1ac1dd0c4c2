import type { Statement } from '../statements.js';

/** Names a value where it stands in a statement's text; answers its placeholder. */
export type Value = (name: string) => string;

/** Marks a value's place until the text is whole; no SQL text holds a NUL. */
const marked = /\0(\w+)\0/g;

/**
 * Makes a statement of a text. Every use of a value is a `?` of its own (better-sqlite3 binds
 * numbered parameters by name only, which is slower), listed in the order of the text whatever the
 * order in which the pieces of the text were made.
 */
export function statement(build: (value: Value) => string): Statement {
  const values: string[] = [];
  const text = build((name) => `\0${name}\0`).replace(marked, (_, name: string) => {
    values.push(name);
    return '?';
  });
  return { text, values };
}
