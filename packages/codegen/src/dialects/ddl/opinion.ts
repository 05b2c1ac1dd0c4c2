import type { Diagnostic } from '../../source/diagnostic.js';
import type { Column, ColumnType, Table } from '../../table/table.js';

/** What another parser reads of a table. */
export interface Opinion {
  readonly columns: readonly OpinionColumn[];
  readonly primaryKey: readonly string[];
}

/** What another parser reads of a column; a fact that it does not tell is absent. */
export interface OpinionColumn {
  readonly name: string;
  /** Whether the DDL says NOT NULL, or a serial or an identity that means it. */
  readonly notNull?: boolean;
  readonly type?: { readonly written: string; readonly type: ColumnType };
}

/** A parser asked for its opinion: throws, or answers nothing, where it cannot read the text. */
export interface OpinionParser {
  readonly name: string;
  read(sql: string): Opinion | undefined;
}

/** One text of a table to put to a parser. */
export interface OpinionText {
  readonly sql: () => string;
  /** Its types are stand-ins, so what the parser reads of them says nothing. */
  readonly standIns: boolean;
}

/** A statement longer than this is not put to another parser; real ones have a third of it. */
const longestStatement = 32_768;

/** Nor is one with more parentheses in one another: at a thousand, one parser takes minutes. */
const deepestNesting = 50;

/**
 * Puts texts of one table to a parser, the one as written first, and compares what it makes of the
 * first that it can read with the table. Differences are warnings with both readings; a parser that
 * can read none of them is a note. Never throws, whatever the parser does.
 */
export function opinionOn(
  table: Table,
  parser: OpinionParser,
  texts: readonly OpinionText[],
  nameKey: (name: string) => string,
): readonly Diagnostic[] {
  for (const text of texts) {
    const sql = text.sql();
    if (sql.length > longestStatement || depthOf(sql) > deepestNesting) continue;
    const opinion = attempt(parser, sql);
    if (opinion === undefined) continue;
    const heard = text.standIns ? withoutTypes(opinion) : opinion;
    return differences(table, parser.name, heard, nameKey);
  }
  return [
    {
      code: 'second-opinion-unavailable',
      severity: 'note',
      message: `table "${table.name.text}" was read without a second opinion: ${parser.name} cannot read it`,
      span: table.name.span,
    },
  ];
}

/** How many parentheses stand in one another, those in strings included. */
function depthOf(sql: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [parenthesis] of sql.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function attempt(parser: OpinionParser, sql: string): Opinion | undefined {
  try {
    return parser.read(sql);
  } catch {
    // Its message is a list of what it expected, and its positions can be wrong.
    return undefined;
  }
}

function withoutTypes({ columns, primaryKey }: Opinion): Opinion {
  return { columns: columns.map(({ type: _, ...column }) => column), primaryKey };
}

function differences(
  table: Table,
  parser: string,
  opinion: Opinion,
  nameKey: (name: string) => string,
): readonly Diagnostic[] {
  const warn = (message: string, span = table.name.span): Diagnostic => ({
    code: 'second-opinion',
    severity: 'warning',
    message,
    span,
    help: `inbox-gen goes by its own reading; if ${parser} is right, please report it`,
  });
  const ours = table.columns.map(({ name }) => name.text);
  const theirs = opinion.columns.map(({ name }) => name);
  if (!sameNames(ours, theirs, nameKey)) {
    return [warn(`the columns read as ${list(ours)}, and ${parser} reads ${list(theirs)}`)];
  }
  const columns = table.columns.flatMap((column, index): readonly Diagnostic[] => {
    const other = opinion.columns[index];
    const difference = other && columnDifference(column, other);
    if (difference === undefined) return [];
    const [mine, its] = difference;
    return [
      warn(
        `column "${column.name.text}" reads as ${mine}, and ${parser} reads ${its}`,
        column.span,
      ),
    ];
  });
  if (sameNames(table.primaryKey, opinion.primaryKey, nameKey)) return columns;
  return [
    ...columns,
    warn(
      `the primary key reads as ${list(table.primaryKey)}, and ${parser} reads ${list(opinion.primaryKey)}`,
    ),
  ];
}

/** Both readings of the first thing that differs. */
function columnDifference(
  column: Column,
  { notNull, type }: OpinionColumn,
): readonly [string, string] | undefined {
  const declared = column.notNullSpan !== undefined;
  if (notNull !== undefined && notNull !== declared) {
    return [nullability(declared), nullability(notNull)];
  }
  if (type === undefined || type.type.kind === column.type.kind) return undefined;
  return [column.type.kind, `${type.type.kind} (${type.written})`];
}

function nullability(notNull: boolean): string {
  return notNull ? 'NOT NULL' : 'nullable';
}

function sameNames(
  left: readonly string[],
  right: readonly string[],
  nameKey: (name: string) => string,
): boolean {
  return (
    left.length === right.length &&
    left.every((name, index) => plainKey(name, nameKey) === plainKey(right[index] ?? '', nameKey))
  );
}

/** Both parsers leave a doubled quote in a name doubled. */
function plainKey(name: string, nameKey: (name: string) => string): string {
  return nameKey(name.replace(/(["`])\1/g, '$1'));
}

function list(names: readonly string[]): string {
  return `(${names.join(', ')})`;
}
