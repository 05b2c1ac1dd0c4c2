import type { Result } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { isSymbol, isWord, type Token } from '../../source/token.js';
import type { DialectName, Table } from '../../table/table.js';
import { readCreateTable } from '../ddl/read-create-table.js';
import type { TableGrammar } from '../ddl/table-grammar.js';
import { unreadable } from '../ddl/unreadable.js';
import { attributes } from './attributes.js';
import { nameKey } from './name-key.js';
import type { TypeNames } from './type-names.js';
import { nameKinds, readType } from './types.js';

/** A reader of one CREATE TABLE of MySQL or MariaDB; it fails with `unreadable-table`. */
export function tableReader(
  dialect: DialectName,
  names: TypeNames,
): (statement: SourceStatement) => Result<Table> {
  const grammar = grammarOf(dialect, names);
  return (statement) => readCreateTable(statement, grammar);
}

/** Reserved words begin a constraint or an index; of the others PERIOD and VECTOR can. */
function isConstraint([first, second]: readonly Token[]): boolean {
  if (first?.kind !== 'word') return false;
  if (constraintWords.has(first.text.toUpperCase())) return true;
  if (isWord(first, 'VECTOR')) return isWord(second, 'INDEX') || isWord(second, 'KEY');
  return isWord(first, 'PERIOD') && isWord(second, 'FOR');
}

const constraintWords: ReadonlySet<string> = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'KEY',
  'INDEX',
  'FULLTEXT',
  'SPATIAL',
  'FOREIGN',
  'CHECK',
]);

function grammarOf(dialect: DialectName, names: TypeNames): TableGrammar {
  return {
    dialect,
    nameKinds,
    attributes,
    isConstraint,
    nameKey,
    readType: (cursor, name) => readType(cursor, name, names),
    refusal({ elements, name }) {
      const like = elements
        .map(({ tokens }) => tokens)
        .find(([first, second]) => isWord(first, 'LIKE') && !isSymbol(second, '('))?.[0];
      if (like === undefined) return undefined;
      return unreadable(
        `table "${name.text}" takes its columns from another table`,
        like.span,
        'write the columns out in this CREATE TABLE: only what stands here is read',
      );
    },
    settle({ name, facts }, key) {
      return {
        ...(facts.generated !== undefined && { generated: facts.generated }),
        // What the database numbers is never NULL, said or not.
        nullable:
          facts.notNull === undefined &&
          facts.generated !== 'by-default' &&
          !key.includes(name.text),
      };
    },
  };
}
