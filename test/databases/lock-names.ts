/**
 * The keys of the suite's text-keyed and custom tables. MariaDB tells of a session lock only to who
 * asks for its name, so the tests use no others.
 */
export const keys = {
  lower: 'alpha',
  upper: 'Alpha',
  other: 'beta',
  accented: 'übung',
  /** With a test database's name and a full stop before it, the longest name of a lock. */
  longest: 'n'.repeat(25),
  /** One character more. */
  tooLong: 'n'.repeat(26),
  /** As long as the column takes, and the same up to its last character. */
  huge: `${'h'.repeat(199)}1`,
  hugeToo: `${'h'.repeat(199)}2`,
} as const;
