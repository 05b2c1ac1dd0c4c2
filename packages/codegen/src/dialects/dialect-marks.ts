import type { Span } from '../source/source.js';
import { isSymbol, isWord, type Token } from '../source/token.js';
import type { DialectName } from '../table/table.js';

/** Something in a source that only some databases write. */
export interface DialectMark {
  readonly what: string;
  readonly dialects: readonly DialectName[];
  readonly span: Span;
}

type Databases = readonly DialectName[];

const postgres: Databases = ['postgres'];
const sqlite: Databases = ['sqlite'];
const mysqls: Databases = ['mysql', 'mariadb'];
const mariadb: Databases = ['mariadb'];
const notPostgres: Databases = ['mysql', 'mariadb', 'sqlite'];
const notSqlite: Databases = ['postgres', 'mysql', 'mariadb'];

/**
 * Words that say which databases a schema is for, wherever they stand bare. SQLite takes any word for
 * a type, so a type counts for the database that has it.
 */
const wordMarks: ReadonlyMap<string, Databases> = new Map<string, Databases>([
  ['BIGSERIAL', postgres],
  ['SMALLSERIAL', postgres],
  ['SERIAL', notSqlite],
  ['TIMESTAMPTZ', postgres],
  ['TIMETZ', postgres],
  ['JSONB', postgres],
  ['BYTEA', postgres],
  ['CITEXT', postgres],
  ['TSVECTOR', postgres],
  ['NEXTVAL', ['postgres', 'mariadb']],
  ['PLPGSQL', postgres],
  ['UNLOGGED', postgres],
  ['SEARCH_PATH', postgres],
  ['GEN_RANDOM_UUID', postgres],
  ['AUTOINCREMENT', sqlite],
  ['PRAGMA', sqlite],
  ['UNIXEPOCH', sqlite],
  ['STRFTIME', sqlite],
  ['JULIANDAY', sqlite],
  ['AUTO_INCREMENT', mysqls],
  ['LONGTEXT', mysqls],
  ['MEDIUMTEXT', mysqls],
  ['LONGBLOB', mysqls],
  ['MEDIUMBLOB', mysqls],
  ['UNSIGNED', notPostgres],
  ['ZEROFILL', notPostgres],
  ['DATETIME', notPostgres],
  ['BLOB', notPostgres],
  ['INET6', mariadb],
]);

/** Bare words one behind the other that say it. */
const phraseMarks: readonly { readonly words: readonly string[]; readonly dialects: Databases }[] =
  [
    { words: ['WITHOUT', 'ROWID'], dialects: sqlite },
    { words: ['VIRTUAL', 'TABLE'], dialects: sqlite },
    { words: ['BEGIN', 'IMMEDIATE'], dialects: sqlite },
    { words: ['AS', 'IDENTITY'], dialects: postgres },
    { words: ['WITH', 'TIME', 'ZONE'], dialects: postgres },
    { words: ['WITHOUT', 'TIME', 'ZONE'], dialects: postgres },
    { words: ['CREATE', 'EXTENSION'], dialects: postgres },
    { words: ['CREATE', 'DOMAIN'], dialects: postgres },
    { words: ['CREATE', 'TYPE'], dialects: postgres },
    { words: ['COMMENT', 'ON'], dialects: postgres },
    { words: ['FROM', 'STDIN'], dialects: postgres },
    { words: ['ALTER', 'TABLE', 'ONLY'], dialects: postgres },
    { words: ['USING', 'GIN'], dialects: postgres },
    { words: ['USING', 'GIST'], dialects: postgres },
    { words: ['ON', 'UPDATE', 'CURRENT_TIMESTAMP'], dialects: mysqls },
    { words: ['CHARACTER', 'SET'], dialects: mysqls },
    { words: ['SYSTEM', 'VERSIONING'], dialects: mariadb },
  ];

/** What in a statement says which databases it is for, in file order. */
export function dialectMarks(tokens: readonly Token[]): readonly DialectMark[] {
  return tokens.flatMap((token, at) => {
    const mark = markAt(tokens, at);
    return mark === undefined ? [] : [{ ...mark, span: token.span }];
  });
}

function markAt(tokens: readonly Token[], at: number): Omit<DialectMark, 'span'> | undefined {
  const token = tokens[at];
  if (token === undefined) return undefined;
  switch (token.kind) {
    case 'word':
      return phraseAt(tokens, at) ?? wordAt(tokens, at);
    case 'name':
      if (!token.text.startsWith('`')) return undefined;
      return { what: 'a name in backticks', dialects: notPostgres };
    case 'string':
      if (!token.text.startsWith('$')) return undefined;
      return { what: 'a dollar-quoted string', dialects: postgres };
    case 'gate':
      if (token.text.startsWith('/*M')) return { what: 'a comment for MariaDB', dialects: mariadb };
      return token.text === '*/' ? undefined : { what: 'a code comment', dialects: mysqls };
    case 'symbol':
      return symbolAt(tokens, at);
    default:
      return undefined;
  }
}

function phraseAt(tokens: readonly Token[], at: number): Omit<DialectMark, 'span'> | undefined {
  const found = phraseMarks.find(({ words }) =>
    words.every((word, index) => isWord(tokens[at + index], word)),
  );
  return found && { what: found.words.join(' '), dialects: found.dialects };
}

function wordAt(tokens: readonly Token[], at: number): Omit<DialectMark, 'span'> | undefined {
  const token = tokens[at];
  const word = token?.text.toUpperCase() ?? '';
  const next = tokens[at + 1];
  if ((word === 'ENGINE' || word === 'CHARSET') && isSymbol(next, '=')) {
    return { what: `${word}=`, dialects: mysqls };
  }
  const behindComma = isSymbol(tokens[at - 1], ',');
  if (word === 'STRICT' && (isSymbol(tokens[at - 1], ')') || behindComma)) {
    // Behind the columns it ends the table; in a function's head it does not.
    return next === undefined || isSymbol(next, ',')
      ? { what: 'STRICT', dialects: sqlite }
      : undefined;
  }
  // Where an element of a list begins and nothing is called, the word is a column's name.
  const isName = (behindComma || isSymbol(tokens[at - 1], '(')) && !isSymbol(next, '(');
  const dialects = wordMarks.get(word);
  return dialects === undefined || isName || isSymbol(tokens[at - 1], '.')
    ? undefined
    : { what: word, dialects };
}

function symbolAt(tokens: readonly Token[], at: number): Omit<DialectMark, 'span'> | undefined {
  if (isSymbol(tokens[at], '::')) return { what: 'a cast with ::', dialects: postgres };
  if (!isSymbol(tokens[at], '[')) return undefined;
  if (isSymbol(tokens[at + 1], ']')) return { what: 'an array type', dialects: postgres };
  const before = tokens[at - 1];
  const opens = isSymbol(before, '(') || isSymbol(before, ',') || isWord(before, 'TABLE');
  return opens && isSymbol(tokens[at + 2], ']')
    ? { what: 'a name in brackets', dialects: sqlite }
    : undefined;
}
