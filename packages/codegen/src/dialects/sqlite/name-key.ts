/** A name in the form in which SQLite compares it: ASCII letters without their case. */
export function nameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
