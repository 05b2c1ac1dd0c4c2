import { isKeyword } from '../keywords.js';

/**
 * A name as it stands in MySQL's and MariaDB's SQL: bare where every database takes it bare, else in
 * backticks, which no SQL mode reads as anything else.
 */
export function quote(name: string): string {
  const bare = /^[a-z_][a-z0-9_]*$/.test(name) && !isKeyword(name) && !functionNames.has(name);
  return bare ? name : `\`${name.replaceAll('`', '``')}\``;
}

/**
 * Names that before a parenthesis are functions, however many blanks stand between: the SQL mode
 * IGNORE_SPACE, which mysql2 sets with every connection, so `INSERT INTO count (…)` would fail.
 */
const functionNames: ReadonlySet<string> = new Set(
  `adddate bit_and bit_or bit_xor cast count curdate curtime date_add date_sub extract group_concat
  json_arrayagg json_objectagg max mid min now position session_user st_collect std stddev stddev_pop
  stddev_samp subdate substr substring sum sysdate system_user trim var_pop var_samp
  variance`.split(/\s+/),
);
