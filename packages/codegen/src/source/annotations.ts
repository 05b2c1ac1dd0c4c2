import { annotationWord } from './annotation-words.js';
import type { Span } from './source.js';
import type { Token } from './token.js';

/** One `@word …` line of a comment. */
export interface Annotation {
  /** The word without its `@`: `inbox`, `locked_until`. */
  readonly name: string;
  /** What follows the word on its line, trimmed; empty where nothing does. */
  readonly argument: string;
  readonly span: Span;
  /** Where the argument stands; an empty span behind the word where there is none. */
  readonly argumentSpan: Span;
}

/** What the comments at one place say: its annotations, and its description, line by line. */
export interface AnnotationSet {
  readonly annotations: readonly Annotation[];
  readonly description: readonly string[];
}

/** What comments say, with the `@words` apart that are no annotation. */
export interface CommentReading extends AnnotationSet {
  readonly unknown: readonly Annotation[];
}

/**
 * Reads comments that belong together, in file order. An annotation is a line whose text begins
 * with `@word`; every other line is description. Only the paragraph of comments that stands nearest
 * to the code describes it: a licence or a chapter's heading, a blank line further up, does not.
 */
export function readComments(comments: readonly Token[]): CommentReading {
  const annotations: Annotation[] = [];
  const unknown: Annotation[] = [];
  let description: string[] = [];
  let before: Token | undefined;
  for (const comment of comments) {
    if (before !== undefined && isParagraphBreak(before, comment)) description = [];
    for (const line of linesOf(comment)) {
      const annotation = annotationOf(comment, line);
      if (annotation === undefined) description.push(prose(line.text));
      else if (annotationWord(annotation.name) === undefined) unknown.push(annotation);
      else annotations.push(annotation);
    }
    before = comment;
  }
  return { annotations, unknown, description: withoutBlankEnds(description) };
}

interface CommentLine {
  readonly text: string;
  /** Where the text begins in the source. */
  readonly start: number;
}

/** A comment's lines without its marks, without a leading `*`, and trimmed. */
function linesOf(comment: Token): readonly CommentLine[] {
  const block = comment.text.startsWith('/*');
  const body = block ? comment.text.replace(/\*\/$/, '') : comment.text;
  const lines: CommentLine[] = [];
  let from = 0;
  for (const line of body.split(/\r\n|[\n\r]/)) {
    const decoration = block ? (from === 0 ? openingMarks : /^\s*\**\s*/) : lineMarks;
    const text = line.replace(decoration, '');
    lines.push({
      text: text.trimEnd(),
      start: comment.span.start + from + line.length - text.length,
    });
    from += line.length;
    from += body.startsWith('\r\n', from) ? 2 : 1;
  }
  return lines;
}

const openingMarks = /^\/\*+\s*/;
const lineMarks = /^(?:-{2,}|#+)\s*/;

/** Reads a line as an annotation, or nothing: prose, an address, a package's name. */
function annotationOf(comment: Token, { text, start }: CommentLine): Annotation | undefined {
  const match = annotationPattern.exec(text);
  const name = match?.[1];
  if (name === undefined) return undefined;
  const behind = text.slice(name.length + 1);
  const known = annotationWord(name) !== undefined;
  if (known ? /^[./@]/.test(behind) : !/^(?:\s|$|[[(:])/.test(behind)) return undefined;
  const argument = behind.trim();
  const { source } = comment.span;
  const end = start + text.length;
  const argumentStart = end - argument.length;
  return {
    name,
    argument,
    span: { source, start, end },
    argumentSpan: { source, start: argumentStart, end },
  };
}

const annotationPattern = /^@([A-Za-z][\w-]*)/;

/** A line of the description; a ruler or what a tool wrote says nothing about a table. */
function prose(text: string): string {
  return ruler.test(text) || toolLine.test(text) ? '' : text;
}

const ruler = /^[-=*#_~+/\\|\s]*$/;

/**
 * pg_dump's `Name: jobs; Type: TABLE; Schema: public; Owner: app`, mysqldump's headline, Prisma's and
 * Drizzle's marks, and those of goose, sql-migrate and dbmate.
 */
const toolLine =
  /^(?:Name: [^;]+; Type: [^;]+; Schema: .+|Table structure for table .+|CreateTable|> statement-breakpoint|\+goose .+|\+migrate .+|migrate:(?:up|down).*)$/;

function isParagraphBreak(left: Token, right: Token): boolean {
  const gap = left.span.source.text.slice(left.span.end, right.span.start);
  return /^\s*$/.test(gap) && /\n[^\S\n]*\n/.test(gap.replace(/\r\n?/g, '\n'));
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== '');
  const last = lines.findLastIndex((line) => line !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}
