import type { Result } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { isSymbol, isWord, type Token } from '../../source/token.js';
import type { Table } from '../../table/table.js';
import {
  attributeAt,
  computed,
  flag,
  not,
  on,
  primaryKey,
  references,
  withGroup,
  withName,
  withWord,
  type AttributeReader,
  type AttributeReaders,
} from '../ddl/attributes.js';
import { setDefault } from '../ddl/column-facts.js';
import { readCreateTable } from '../ddl/read-create-table.js';
import type { TableGrammar } from '../ddl/table-grammar.js';
import type { TokenCursor } from '../ddl/token-cursor.js';
import { unreadable } from '../ddl/unreadable.js';
import { nameKinds, readType } from './types.js';

/** Reads one CREATE TABLE of PostgreSQL 12 to 18; fails with `unreadable-table`. */
export function readTable(statement: SourceStatement): Result<Table> {
  return readCreateTable(statement, grammar);
}

const generated: AttributeReader = (cursor, facts, word) => {
  const always = cursor.skipWords('ALWAYS');
  if (!always) cursor.skipWords('BY', 'DEFAULT');
  cursor.skipWords('AS');
  if (!cursor.skipWords('IDENTITY')) {
    computed(cursor, facts, word);
    return;
  }
  cursor.skipGroup();
  facts.generated = always ? 'always' : 'by-default';
  facts.notNull ??= word.span;
};

/** `NULLS [NOT] DISTINCT` of a UNIQUE. */
const nulls: AttributeReader = (cursor) => {
  cursor.skipWords('NOT');
  cursor.skipWords('DISTINCT');
};

const defaultValue: AttributeReader = (cursor, facts) => {
  setDefault(facts, expression(cursor));
};

/**
 * An expression up to the attribute behind it. Its first word is its own, and so is a word behind a
 * dot, a cast or an IS, and every word between CASE and END.
 */
function expression(cursor: TokenCursor): readonly Token[] {
  const start = cursor.position();
  let cases = 0;
  for (let token = cursor.peek(); token !== undefined; token = cursor.peek()) {
    const first = cursor.position() === start;
    if (!first && cases === 0 && endsExpression(cursor, start)) break;
    if (isWord(token, 'CASE')) cases++;
    else if (isWord(token, 'END')) cases--;
    if (cursor.skipGroup() === undefined) cursor.next();
  }
  return cursor.since(start);
}

function endsExpression(cursor: TokenCursor, start: number): boolean {
  const token = cursor.peek();
  if (attributeAt(token, attributes) === undefined) return false;
  const before = cursor.peek(-1);
  if (wantsMore(before)) return false;
  if (isWord(token, 'NULL') && isWord(before, 'NOT') && cursor.position() - start >= 2) {
    return !isWord(cursor.peek(-2), 'IS');
  }
  // `timestamp with time zone` behind a cast; only WITH ( … ) is an attribute.
  return !isWord(token, 'WITH') || isSymbol(cursor.peek(1), '(');
}

/** Whether an expression cannot end with a token: an operator, a dot, IS. */
function wantsMore(token: Token | undefined): boolean {
  if (token?.kind === 'symbol') return token.text !== ')' && token.text !== ']';
  return openWords.some((word) => isWord(token, word));
}

const openWords = ['IS', 'FROM', 'AND', 'OR'] as const;

const attributes: AttributeReaders = new Map<string, AttributeReader>([
  ['CONSTRAINT', withWord],
  ['NOT', not],
  ['NULL', flag],
  ['DEFAULT', defaultValue],
  ['GENERATED', generated],
  ['STORED', flag],
  ['VIRTUAL', flag],
  ['PRIMARY', primaryKey],
  ['UNIQUE', flag],
  ['NULLS', nulls],
  ['INCLUDE', withGroup],
  ['WITH', withGroup],
  ['USING', usingTablespace],
  ['CHECK', withGroup],
  ['NO', withWord],
  ['ENFORCED', flag],
  ['REFERENCES', references],
  ['MATCH', withWord],
  ['ON', on],
  ['DEFERRABLE', flag],
  ['INITIALLY', withWord],
  ['COLLATE', withName],
  ['STORAGE', withWord],
  ['COMPRESSION', withWord],
]);

/** `USING INDEX TABLESPACE name`. */
function usingTablespace(cursor: TokenCursor): void {
  cursor.skipWords('INDEX', 'TABLESPACE');
  cursor.next();
}

/** Reserved words begin a constraint; of the others EXCLUDE can, and `exclude text` is a column. */
function isConstraint(tokens: readonly Token[]): boolean {
  const [first, second] = tokens;
  if (first?.kind !== 'word') return false;
  const word = first.text.toUpperCase();
  if (constraintWords.has(word)) return true;
  return word === 'EXCLUDE' && (isWord(second, 'USING') || isSymbol(second, '('));
}

const constraintWords: ReadonlySet<string> = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'CHECK',
  'FOREIGN',
  'NOT',
]);

const grammar: TableGrammar = {
  dialect: 'postgres',
  nameKinds,
  attributes,
  isConstraint,
  nameKey: (name) => name,
  readType,
  refusal({ elements, name }) {
    const like = elements.map(({ tokens }) => tokens[0]).find((token) => isWord(token, 'LIKE'));
    if (like === undefined) return undefined;
    return unreadable(
      `table "${name.text}" takes columns from another table`,
      like.span,
      'write the columns out in this CREATE TABLE: only what stands here is read',
    );
  },
  settle({ name, facts }, key) {
    return {
      ...(facts.generated !== undefined && { generated: facts.generated }),
      nullable: facts.notNull === undefined && !key.includes(name.text),
    };
  },
};
