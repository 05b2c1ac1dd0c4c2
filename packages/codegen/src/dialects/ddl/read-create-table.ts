import { annotationWord, type AnnotationPlace } from '../../source/annotation-words.js';
import { readComments, type AnnotationSet } from '../../source/annotations.js';
import type { Diagnostic, Result } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import {
  danglingAnnotation,
  strayAnnotations,
  unknownAnnotations,
  type StrayReason,
} from '../../source/stray-annotations.js';
import { spanOf, sqlOf, type Token } from '../../source/token.js';
import type { Column, Table } from '../../table/table.js';
import { attachComments } from './attach-comments.js';
import { readAttributes } from './attributes.js';
import type { ColumnFacts } from './column-facts.js';
import { openCreateTable, type CreateTable } from './create-table.js';
import { nameOf } from './name.js';
import type { ReadColumn, TableGrammar } from './table-grammar.js';
import { cursorOver, splitAt, type Stretch } from './token-cursor.js';
import { unreadable } from './unreadable.js';

/**
 * Reads one CREATE TABLE of a queue by a dialect's grammar: columns, key, comments. Fails with
 * `unreadable-table` at the first thing that it does not understand, since a guess would become
 * wrong SQL; reports annotations that mean nothing or stand where they are about nothing.
 */
export function readCreateTable(statement: SourceStatement, grammar: TableGrammar): Result<Table> {
  const opened = openCreateTable(statement, grammar.nameKinds);
  const table = opened.value;
  if (table === undefined) return { diagnostics: opened.diagnostics };
  const refusal = grammar.refusal(table);
  if (refusal !== undefined) return { diagnostics: [refusal] };

  const comments = attachComments(statement, table);
  const diagnostics: Diagnostic[] = comments.stray.flatMap(({ comment, reason }) =>
    strayAnnotations([comment], reason, 'queue'),
  );
  const annotationsAt = (about: readonly Token[], place: AnnotationPlace): AnnotationSet => {
    const { set, found } = annotationsOf(about, place);
    diagnostics.push(...found);
    return set;
  };

  const annotations = annotationsAt(comments.table, 'table');
  const read: (ReadColumn & { readonly element: Stretch; readonly annotations: AnnotationSet })[] =
    [];
  const keys: (readonly string[])[] = [];
  for (const element of table.elements) {
    const about = comments.elements.get(element) ?? [];
    if (grammar.isConstraint(element.tokens)) {
      diagnostics.push(...strayAnnotations(about, besideConstraint, 'queue'));
      keys.push(...primaryKeys(element.tokens, grammar));
    } else {
      const column = readColumn(element.tokens, grammar);
      diagnostics.push(...column.diagnostics);
      const set = annotationsAt(about, 'column');
      if (column.value !== undefined) read.push({ ...column.value, element, annotations: set });
    }
  }
  keys.push(
    ...read.filter(({ facts }) => facts.primaryKey !== undefined).map(({ name }) => [name.text]),
  );
  const primaryKey = resolveKey(keys[0] ?? [], read, table, grammar);
  diagnostics.push(...primaryKey.diagnostics, ...repeatedColumns(read, grammar));
  if (read.length === 0 && diagnostics.length === 0) {
    diagnostics.push(
      unreadable(`table "${table.name.text}" has no columns`, table.name.span, 'add some'),
    );
  }
  if (diagnostics.some(({ code }) => code === 'unreadable-table')) return { diagnostics };
  const key = primaryKey.value ?? [];
  return {
    value: {
      dialect: grammar.dialect,
      ...(table.schema !== undefined && { schema: table.schema }),
      name: table.name,
      columns: read.map((column) => columnOf(column, key, table, grammar)),
      primaryKey: key,
      annotations,
      span: statement.span,
    },
    diagnostics,
  };
}

/** The annotations at a place, and those that cannot stand there. */
function annotationsOf(
  comments: readonly Token[],
  place: AnnotationPlace,
): { readonly set: AnnotationSet; readonly found: readonly Diagnostic[] } {
  const { annotations, unknown, description } = readComments(comments);
  const kept = annotations.filter(({ name }) => annotationWord(name)?.place === place);
  const misplaced = annotations.filter(({ name }) => {
    const home = annotationWord(name)?.place;
    // What a file says may stand above any of its tables; it is not the table's.
    return home !== place && !(home === 'file' && place === 'table');
  });
  return {
    set: { annotations: kept, description },
    found: [
      ...misplaced.map((annotation) =>
        danglingAnnotation(annotation, place === 'table' ? aboveTable : besideColumn),
      ),
      ...unknownAnnotations(unknown, 'queue'),
    ],
  };
}

const aboveTable: StrayReason = {
  why: 'it says something of a column, and stands above a table',
  help: 'put it beside the column or on a line above it, inside the parentheses',
};

const besideColumn: StrayReason = {
  why: 'it says something of a table, and stands at a column',
  help: 'put it directly above the CREATE TABLE',
};

const besideConstraint: StrayReason = {
  why: 'it stands at a table constraint',
  help: 'put it beside the column that it is about',
};

/** The columns of every PRIMARY KEY in an element; SQLite may leave commas between constraints out. */
function primaryKeys(
  tokens: readonly Token[],
  { nameKinds }: TableGrammar,
): readonly (readonly string[])[] {
  const keys: (readonly string[])[] = [];
  const cursor = cursorOver(tokens);
  while (cursor.peek() !== undefined) {
    if (cursor.skipGroup() !== undefined) continue;
    if (!cursor.skipWords('PRIMARY', 'KEY')) {
      cursor.next();
      continue;
    }
    // Something may stand between KEY and its columns: MySQL's name or USING BTREE.
    let columns = cursor.skipGroup();
    while (columns === undefined && cursor.next() !== undefined) columns = cursor.skipGroup();
    keys.push(
      splitAt(',', columns ?? []).flatMap((part) => nameOf(part.tokens[0], nameKinds)?.text ?? []),
    );
  }
  return keys;
}

function readColumn(tokens: readonly Token[], grammar: TableGrammar): Result<ReadColumn> {
  const cursor = cursorOver(tokens);
  const first = cursor.next();
  const name = nameOf(first, grammar.nameKinds);
  if (name === undefined) {
    const place = first?.span;
    if (place === undefined) return { diagnostics: [] };
    return {
      diagnostics: [
        unreadable(`"${first?.text ?? ''}" is no column name`, place, 'look for a stray comma'),
      ],
    };
  }
  const reading = grammar.readType(cursor, name);
  if (reading.value === undefined) return { diagnostics: reading.diagnostics };
  const facts: ColumnFacts = { ...reading.value.implies };
  const stuck = readAttributes(cursor, grammar.attributes, facts);
  if (stuck !== undefined) {
    return {
      diagnostics: [
        unreadable(
          `"${stuck.text}" cannot be read as a part of column "${name.text}"`,
          stuck.span,
          grammar.nameKinds.has(stuck.kind)
            ? 'is a comma missing before it?'
            : 'look for a comma or a parenthesis too many or too few before it',
        ),
      ],
    };
  }
  return { value: { name, reading: reading.value, facts }, diagnostics: reading.diagnostics };
}

/** The key's names as the columns write them; `unreadable-table` for one that no column has. */
function resolveKey(
  key: readonly string[],
  columns: readonly ReadColumn[],
  table: CreateTable,
  grammar: TableGrammar,
): Result<readonly string[]> {
  const byKey = new Map(columns.map(({ name }) => [grammar.nameKey(name.text), name.text]));
  const names = key.map((wanted) => byKey.get(grammar.nameKey(wanted)));
  const missing = key.find((_, index) => names[index] === undefined);
  if (missing !== undefined) {
    return {
      diagnostics: [
        unreadable(
          `the primary key of table "${table.name.text}" names "${missing}", which is no column of it`,
          table.name.span,
          'name columns of the table in PRIMARY KEY (…)',
        ),
      ],
    };
  }
  return { value: names.filter((name) => name !== undefined), diagnostics: [] };
}

function repeatedColumns(
  columns: readonly ReadColumn[],
  grammar: TableGrammar,
): readonly Diagnostic[] {
  const seen = new Map<string, ReadColumn>();
  return columns.flatMap((column): readonly Diagnostic[] => {
    const { name } = column;
    const first = seen.get(grammar.nameKey(name.text));
    if (first === undefined) {
      seen.set(grammar.nameKey(name.text), column);
      return [];
    }
    const found = unreadable(
      `there are two columns "${name.text}"`,
      name.span,
      'rename one of them',
    );
    return [{ ...found, related: { span: first.name.span, message: 'the first' } }];
  });
}

function columnOf(
  column: ReadColumn & { readonly element: Stretch; readonly annotations: AnnotationSet },
  primaryKey: readonly string[],
  table: CreateTable,
  grammar: TableGrammar,
): Column {
  const { name, reading, facts, element, annotations } = column;
  const { generated, nullable } = grammar.settle(column, primaryKey, table);
  const last = element.tokens.at(-1);
  const first = element.tokens[0];
  return {
    name,
    type: reading.type,
    castType: reading.castType,
    typeSpan: reading.span,
    nullable,
    ...(facts.notNull !== undefined && { notNullSpan: facts.notNull }),
    ...(facts.default !== undefined && { default: facts.default }),
    ...(generated !== undefined && { generated }),
    ...(facts.onUpdate !== undefined && { onUpdate: facts.onUpdate }),
    annotations,
    ddl: sqlOf(element.tokens),
    span:
      first === undefined || last === undefined ? name.span : spanOf(name.span.source, first, last),
  };
}
