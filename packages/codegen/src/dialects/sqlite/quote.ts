import { isKeyword } from '../keywords.js';

/**
 * A name as it stands in SQLite's SQL: bare where every database takes it bare, else in backticks,
 * since SQLite reads a `"name"` that no column has as a string.
 */
export function quote(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !isKeyword(name)) return name;
  return `\`${name.replaceAll('`', '``')}\``;
}
