import { sqlOf, type Token } from '../../source/token.js';

/**
 * An expression of the DDL as SQL that means the same in every SQL mode: with ANSI_QUOTES a string in
 * double quotes would be a name, with NO_BACKSLASH_ESCAPES a backslash would be one.
 */
export function modelessSql(tokens: readonly Token[]): string {
  const rewritten: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    const before = rewritten.at(-1);
    if (isIntroducer(token) && isText(tokens[index + 1])) continue;
    if (!isText(token)) rewritten.push(token);
    // Strings one behind the other are one string.
    else if (isText(tokens[index - 1]) && before !== undefined) {
      const value = before.value + valueOf(token);
      rewritten.splice(-1, 1, { ...before, text: stringSql(value), value });
    } else {
      const value = valueOf(token);
      rewritten.push({ ...token, text: stringSql(value), value });
    }
  }
  return sqlOf(rewritten);
}

/** Whether a token is a character set in front of a string: `_utf8mb4'…'`. */
export function isIntroducer(token: Token | undefined): boolean {
  return token?.kind === 'word' && token.text.startsWith('_');
}

/** A string of characters, not of digits that stand for bytes (`X'00'`). */
function isText(token: Token | undefined): token is Token {
  return token?.kind === 'string' && !/^[xb]/i.test(token.text);
}

/** A string in single quotes; in hexadecimal digits where a backslash is in it. */
function stringSql(value: string): string {
  return value.includes('\\')
    ? `_utf8mb4 X'${Buffer.from(value, 'utf8').toString('hex')}'`
    : `'${value.replaceAll("'", "''")}'`;
}

/** What a string means in the default SQL mode. */
function valueOf({ text }: Token): string {
  const quoted = text.replace(/^n/i, '');
  const quote = quoted[0];
  return quoted
    .slice(1, -1)
    .replace(/\\([\s\S])|(['"])\2/g, (whole, unit: string | undefined, doubled?: string) => {
      if (unit === undefined) return doubled === quote ? (quote ?? '') : whole;
      // For LIKE these two keep their backslash.
      return unit === '%' || unit === '_' ? whole : (escapes[unit] ?? unit);
    });
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001a',
};

/**
 * A text as a string in SQL that means the same in every SQL mode and character set of a connection,
 * and in which no driver sees a placeholder of its own: in hexadecimal digits where it has any but
 * plain characters.
 */
export function textLiteral(text: string): string {
  return /^[\w .,;/#@+=()[\]<>|~*-]*$/.test(text)
    ? `_utf8mb4'${text}'`
    : `_utf8mb4 X'${Buffer.from(text, 'utf8').toString('hex')}'`;
}
