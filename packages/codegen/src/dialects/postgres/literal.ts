/**
 * A text as a string in SQL. With a backslash in it, it is written as an escape string, which means
 * the same whatever `standard_conforming_strings` says.
 */
export function textLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
