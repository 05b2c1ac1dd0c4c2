import type { Result } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { isSymbol, isWord, type Token } from '../../source/token.js';
import type { Table } from '../../table/table.js';
import {
  computed,
  flag,
  not,
  on,
  primaryKey,
  references,
  withGroup,
  withWord,
  type AttributeReader,
  type AttributeReaders,
} from '../ddl/attributes.js';
import { setDefault } from '../ddl/column-facts.js';
import type { CreateTable } from '../ddl/create-table.js';
import { readCreateTable } from '../ddl/read-create-table.js';
import type { ReadColumn, TableGrammar } from '../ddl/table-grammar.js';
import { nameKey } from './name-key.js';
import { nameKinds, readType } from './types.js';

/** Reads one CREATE TABLE of SQLite; fails with `unreadable-table`. */
export function readTable(statement: SourceStatement): Result<Table> {
  return readCreateTable(statement, grammar);
}

const generated: AttributeReader = (cursor, facts, word) => {
  cursor.skipWords('ALWAYS');
  cursor.skipWords('AS');
  computed(cursor, facts, word);
};

/** `DEFAULT` takes one value, a signed number, or an expression in parentheses; no more. */
const defaultValue: AttributeReader = (cursor, facts) => {
  const start = cursor.position();
  if (cursor.skipGroup() !== undefined) {
    setDefault(facts, cursor.since(start));
    return;
  }
  if (isSymbol(cursor.peek(), '-') || isSymbol(cursor.peek(), '+')) cursor.next();
  const value = cursor.next();
  setDefault(facts, cursor.since(start), isStringInDisguise(value) ? literal(value) : undefined);
};

/** A bare or quoted name as a default is a string, but for the words that are values. */
function isStringInDisguise(token: Token | undefined): token is Token {
  if (token?.kind === 'name') return true;
  return token?.kind === 'word' && !valueWords.has(token.text.toUpperCase());
}

const valueWords: ReadonlySet<string> = new Set([
  'NULL',
  'TRUE',
  'FALSE',
  'CURRENT_TIMESTAMP',
  'CURRENT_DATE',
  'CURRENT_TIME',
]);

function literal({ value }: Token): string {
  return `'${value.replaceAll("'", "''")}'`;
}

const attributes: AttributeReaders = new Map<string, AttributeReader>([
  ['CONSTRAINT', withWord],
  ['NOT', not],
  ['NULL', flag],
  ['DEFAULT', defaultValue],
  ['GENERATED', generated],
  ['AS', computed],
  ['STORED', flag],
  ['VIRTUAL', flag],
  ['PRIMARY', primaryKey],
  ['AUTOINCREMENT', flag],
  ['UNIQUE', flag],
  ['CHECK', withGroup],
  ['REFERENCES', references],
  ['MATCH', withWord],
  ['ON', on],
  ['DEFERRABLE', flag],
  ['INITIALLY', withWord],
  ['COLLATE', withWord],
]);

/** These words are reserved: bare, they never name a column. */
function isConstraint([first]: readonly Token[]): boolean {
  return first?.kind === 'word' && constraintWords.has(first.text.toUpperCase());
}

const constraintWords: ReadonlySet<string> = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'CHECK',
  'FOREIGN',
]);

const grammar: TableGrammar = {
  dialect: 'sqlite',
  nameKinds,
  attributes,
  isConstraint,
  nameKey,
  readType: (cursor, name) => readType(cursor, name, attributes),
  refusal: () => undefined,
  settle(column, key, table) {
    const { name, facts } = column;
    const isKey = key.includes(name.text);
    const options = optionsOf(table);
    const alias = isKey && !options.withoutRowid && isRowidAlias(column, key);
    const generatedBy = alias ? 'by-default' : facts.generated;
    return {
      ...(generatedBy !== undefined && { generated: generatedBy }),
      nullable:
        facts.notNull === undefined &&
        !alias &&
        !(isKey && (options.withoutRowid || options.strict)),
    };
  },
};

/**
 * Whether a column is the row's own number: the only key column, declared INTEGER to the letter, in
 * quotes or not. A DESC beside the column (not in a table constraint) makes it an ordinary column, by
 * an old mistake that SQLite keeps.
 */
function isRowidAlias({ reading, facts }: ReadColumn, key: readonly string[]): boolean {
  const { source, start, end } = reading.span;
  const declared = /^["'`[]?INTEGER["'`\]]?$/i.test(source.text.slice(start, end));
  return key.length === 1 && declared && facts.primaryKey?.descending !== true;
}

function optionsOf({ tail }: CreateTable): {
  readonly withoutRowid: boolean;
  readonly strict: boolean;
} {
  return {
    withoutRowid: tail.some(
      (token, at) => isWord(token, 'WITHOUT') && isWord(tail[at + 1], 'ROWID'),
    ),
    strict: tail.some((token) => isWord(token, 'STRICT')),
  };
}
