import type { Diagnostic } from '../source/diagnostic.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Span } from '../source/source.js';
import type { DialectName } from './table.js';

/** Every database, in the order of messages and of generated code. */
export const dialectNames: readonly DialectName[] = ['postgres', 'mysql', 'mariadb', 'sqlite'];

/** `dialect-unknown` for a name that is no database's, with the one that was probably meant. */
export function unknownDialect(word: string, span?: Span): Diagnostic {
  const meant = didYouMean(word, Object.keys(otherNames)) ?? '';
  const name = didYouMean(word, dialectNames) ?? otherNames[meant];
  return {
    code: 'dialect-unknown',
    severity: 'error',
    message: `"${word}" is no database that is known here`,
    ...(span !== undefined && { span }),
    help:
      name === undefined ? `it is one of ${dialectNames.join(', ')}` : `did you mean \`${name}\`?`,
  };
}

/** What else people call them. */
const otherNames: Readonly<Record<string, DialectName>> = {
  postgresql: 'postgres',
  pg: 'postgres',
  sqlite3: 'sqlite',
  'better-sqlite3': 'sqlite',
  mysql2: 'mysql',
};
