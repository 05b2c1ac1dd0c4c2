/** A text as a string in SQL, where a backslash is a character like any other. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
