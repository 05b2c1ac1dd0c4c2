import { readComments, type Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { LexicalRules, QuoteRule } from '../source/lexer.js';
import type { Source } from '../source/source.js';
import { splitStatements } from '../source/statements.js';
import { dialectNames, unknownDialect } from '../table/dialect-names.js';
import type { DialectName } from '../table/table.js';
import { isCreateTable } from './ddl/create-table.js';
import { dialectMarks, type DialectMark } from './dialect-marks.js';

/**
 * The databases that a source is written for: what its `@dialect` says, else what the user `asked`
 * for, else the one that its own DDL can only be for. `dialect-unknown` for a name that is no
 * database's, `annotation-argument` for a `@dialect` that names none, `annotation-duplicate` for two
 * that differ, and `dialect-unrecognised` where the DDL fits several databases or none.
 */
export function dialectsOf(
  source: Source,
  asked: readonly DialectName[] = [],
): Result<readonly DialectName[]> {
  const { statements, rest } = splitStatements(source, neutralRules(source.text));
  const comments = statements.flatMap((statement, index) =>
    index === 0 || isCreateTable(statement) ? statement.leading : [],
  );
  const { annotations } = readComments(statements.length === 0 ? rest : comments);
  const said = annotations.filter(({ name }) => name === 'dialect');
  const [first] = said;
  if (first === undefined) {
    if (asked.length > 0) return { value: asked, diagnostics: [] };
    return recognised(
      source,
      statements.flatMap(({ tokens }) => dialectMarks(tokens)),
    );
  }
  const readings = said.map((annotation) => namedDialects(annotation));
  const diagnostics = readings.flatMap((reading) => reading.diagnostics);
  if (diagnostics.length > 0) return { diagnostics };
  const names = readings.map((reading) => reading.value ?? []);
  const other = names.findIndex((list) => list.join() !== names[0]?.join());
  const second = said[other];
  if (second === undefined) return { value: names[0] ?? [], diagnostics: [] };
  return {
    diagnostics: [
      {
        code: 'annotation-duplicate',
        severity: 'error',
        message: '@dialect says two different things of one file',
        span: second.span,
        help: 'name all of its databases once, at the top of the file',
        related: { span: first.span, message: 'the first' },
      },
    ],
  };
}

/** The names of a `@dialect`, in the order of `dialectNames` and each once. */
function namedDialects(annotation: Annotation): Result<readonly DialectName[]> {
  const words = [...annotation.argument.matchAll(/[^\s,]+/g)];
  const diagnostics = words.flatMap((match): readonly Diagnostic[] => {
    const word = match[0];
    if (dialectNames.some((name) => name === word)) return [];
    const { source, start } = annotation.argumentSpan;
    const at = start + match.index;
    return [unknownDialect(word, { source, start: at, end: at + word.length })];
  });
  if (words.length === 0) {
    diagnostics.push({
      code: 'annotation-argument',
      severity: 'error',
      message: '@dialect names no database',
      span: annotation.span,
      help: `write one or more of ${dialectNames.join(', ')} behind it`,
    });
  }
  if (diagnostics.length > 0) return { diagnostics };
  const wanted = words.map(([word]) => word);
  return { value: dialectNames.filter((name) => wanted.includes(name)), diagnostics: [] };
}

function recognised(source: Source, marks: readonly DialectMark[]): Result<readonly DialectName[]> {
  const possible = dialectNames.filter((name) =>
    marks.every(({ dialects }) => dialects.includes(name)),
  );
  const [only] = possible;
  if (only !== undefined && possible.length === 1) return { value: [only], diagnostics: [] };
  const clash = clashing(marks);
  return {
    diagnostics: [
      {
        code: 'dialect-unrecognised',
        severity: 'error',
        message: clash
          ? `this file cannot be for one database: ${clash[0].what} and ${clash[1].what}`
          : `this file does not say which database it is for${fits(marks, possible)}`,
        span: clash ? clash[1].span : { source, start: 0, end: 0 },
        help: `write \`-- @dialect ${possible[0] ?? 'postgres'}\` at its top, or give --dialect`,
        ...(clash && { related: { span: clash[0].span, message: clash[0].what } }),
      },
    ],
  };
}

function fits(marks: readonly DialectMark[], possible: readonly DialectName[]): string {
  return marks.length === 0 ? '' : `: it fits ${possible.join(' and ')}`;
}

/** The first two marks that no database has both of. */
function clashing(marks: readonly DialectMark[]): readonly [DialectMark, DialectMark] | undefined {
  // One mark for each set of databases is enough, and there are few sets.
  const kinds = [
    ...new Map(marks.toReversed().map((mark) => [mark.dialects.join(), mark])).values(),
  ];
  for (const left of kinds) {
    const right = kinds.find(
      ({ dialects }) => !dialects.some((name) => left.dialects.includes(name)),
    );
    if (right === undefined) continue;
    return left.span.start < right.span.start ? [left, right] : [right, left];
  }
  return undefined;
}

/** Rules that cut what every database writes, for a source of which the database is not yet known. */
function neutralRules(text: string): LexicalRules {
  const backslashes = text.includes("\\'") && looksLikeMysql.test(text);
  return backslashes ? { ...neutral, quotes: [backslashString, ...neutral.quotes] } : neutral;
}

/** In MySQL `\'` is a quote in a string, where for the others the string ends there. */
const backslashString: QuoteRule = {
  kind: 'string',
  openers: ["'"],
  closer: "'",
  escapes: 'backslash',
};

const looksLikeMysql = /`|\bENGINE\s*=|\bAUTO_INCREMENT\b/i;

const neutral: LexicalRules = {
  lineComments: [
    { opener: '--', blankAfter: false, lineStart: false },
    { opener: '#', blankAfter: false, lineStart: true },
  ],
  blockComments: { nest: false, endOfFileCloses: true, code: true },
  quotes: [
    { kind: 'string', openers: ["'"], closer: "'", escapes: 'doubled' },
    { kind: 'string', openers: ["E'", "e'"], closer: "'", escapes: 'backslash' },
    { kind: 'name', openers: ['"'], closer: '"', escapes: 'doubled' },
    { kind: 'name', openers: ['`'], closer: '`', escapes: 'doubled' },
  ],
  dollarQuotes: true,
  bareNames: { fold: 'as-written', digitFirst: false },
  client: { backslash: true, dot: true, delimiter: true, copyData: true },
  bodies: {
    of: ['TRIGGER', 'FUNCTION', 'PROCEDURE', 'EVENT'],
    opener: ['BEGIN'],
    parenthesised: ['RULE'],
  },
};
