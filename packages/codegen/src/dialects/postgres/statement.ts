import type { Statement } from '../statements.js';

/** Names a value where it stands in a statement's text; answers its placeholder. */
export type Value = (name: string) => string;

/** Makes a statement of a text. The same value is the same `$n`, numbered by first use. */
export function statement(build: (value: Value) => string): Statement {
  const values: string[] = [];
  const text = build((name) => {
    if (!values.includes(name)) values.push(name);
    return `$${values.indexOf(name) + 1}`;
  });
  return { text, values };
}
