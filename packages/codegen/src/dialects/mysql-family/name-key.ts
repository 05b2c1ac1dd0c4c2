/** A column's name in the form in which MySQL and MariaDB compare it: letters without their case. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
