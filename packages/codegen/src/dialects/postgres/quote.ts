import { isKeyword } from '../keywords.js';

/** A name as it stands in PostgreSQL's SQL: bare where every database takes it bare, else in `"`. */
export function quote(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !isKeyword(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}
