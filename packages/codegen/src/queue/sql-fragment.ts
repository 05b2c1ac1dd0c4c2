import { annotationWord } from '../source/annotation-words.js';
import type { Annotation } from '../source/annotations.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import { dialectNames, unknownDialect } from '../table/dialect-names.js';
import type { DialectName, Table } from '../table/table.js';

/** SQL of the author's: what an annotation such as `@lock` or `@lock[mysql]` says. */
export interface SqlFragment {
  readonly annotation: Annotation;
  /** The dialects between its brackets; absent where it is for all that have none of their own. */
  readonly dialects?: readonly DialectName[];
  /** Where the SQL stands: what follows the brackets. */
  readonly span: Span;
}

/** What a table's annotations of one name say for its dialect. */
export interface FoundFragment {
  readonly fragment?: SqlFragment;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The SQL fragment of a name that counts for a table's dialect: the one that names the dialect, else
 * the one that names none. Finds `annotation-duplicate`, two that count alike, `dialect-unknown`, and
 * `annotation-argument` for brackets with nothing in them.
 */
export function fragmentNamed({ annotations, dialect }: Table, name: string): FoundFragment {
  const read = annotations.annotations
    .filter((annotation) => annotation.name === name)
    .map(readFragment);
  const fragments = read.flatMap(({ fragment }) => fragment ?? []);
  const own = fragments.filter(({ dialects }) => dialects?.includes(dialect));
  const general = fragments.filter(({ dialects }) => dialects === undefined);
  const [fragment] = own.length > 0 ? own : general;
  return {
    ...(fragment && { fragment }),
    diagnostics: [
      ...read.flatMap(({ diagnostics }) => diagnostics),
      ...duplicates(own),
      ...duplicates(general),
    ],
  };
}

/**
 * Complains of SQL fragments for databases that their file is not for: nobody would ever read them.
 * `dialects` are those of the file.
 */
export function strayFragments(
  { annotations }: Table,
  dialects: readonly DialectName[],
): readonly Diagnostic[] {
  return annotations.annotations
    .filter(({ name }) => annotationWord(name)?.sql === true)
    .flatMap((annotation): readonly Diagnostic[] => {
      const asked = readFragment(annotation).fragment?.dialects ?? [];
      const other = asked.find((name) => !dialects.includes(name));
      if (other === undefined) return [];
      return [
        {
          code: 'annotation-argument',
          severity: 'error',
          message: `@${annotation.name} is for ${other}, and this file is for ${dialects.join(', ')}`,
          span: annotation.span,
          help: `take it away, or add ${other} to the file's @dialect`,
        },
      ];
    });
}

/** Reads the brackets, which stand right behind the word: `[sqlite]`, `[postgres, mysql]`. */
function readFragment(annotation: Annotation): FoundFragment {
  const { argument, argumentSpan, span } = annotation;
  const { source, start } = argumentSpan;
  const behindWord = start === span.start + '@'.length + annotation.name.length;
  const brackets = behindWord ? /^\[([^\]]*)\]\s*/.exec(argument) : null;
  if (brackets === null) return { fragment: { annotation, span: argumentSpan }, diagnostics: [] };
  const [whole, list = ''] = brackets;
  const words = [...list.matchAll(/[^\s,]+/g)];
  const diagnostics: Diagnostic[] = words
    .filter(([word]) => !dialectNames.some((name) => name === word))
    .map(({ 0: word, index }) => {
      const at = start + '['.length + index;
      return unknownDialect(word, { source, start: at, end: at + word.length });
    });
  if (words.length === 0) diagnostics.push(namesNone(annotation));
  if (diagnostics.length > 0) return { diagnostics };
  const wanted = words.map(([word]) => word);
  const dialects = dialectNames.filter((name) => wanted.includes(name));
  const sql = { ...argumentSpan, start: start + whole.length };
  return { fragment: { annotation, dialects, span: sql }, diagnostics };
}

function namesNone({ name, argumentSpan }: Annotation): Diagnostic {
  return {
    code: 'annotation-argument',
    severity: 'error',
    message: `@${name} names no database between its brackets`,
    span: argumentSpan,
    help: `write one or more of ${dialectNames.join(', ')} there, or take the brackets away`,
  };
}

function duplicates(fragments: readonly SqlFragment[]): readonly Diagnostic[] {
  const [first, ...others] = fragments;
  if (first === undefined) return [];
  return others.map(({ annotation }) => ({
    code: 'annotation-duplicate',
    severity: 'error',
    message: `@${annotation.name} stands here twice for one database`,
    span: annotation.span,
    help: 'keep one of them',
    related: { span: first.annotation.span, message: 'the first' },
  }));
}
