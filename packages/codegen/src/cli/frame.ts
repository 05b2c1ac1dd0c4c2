import { positionAt, type Span } from '../source/source.js';

/** How many lines before the cause a frame shows. */
const linesBefore = 2;

/** How much of a long line a frame shows, in characters. */
const frameWidth = 120;

/**
 * The lines of a source around a span, numbered, with carets under its part of the first line. The
 * carets stand right also behind tabs (kept as tabs), wide characters and combining marks.
 */
export function codeFrame(span: Span, before: number = linesBefore): string {
  const lines = span.source.text.split(/\r\n|[\n\r]/);
  const { line, column } = positionAt(span.source, span.start);
  const first = Math.max(1, line - before);
  const gutter = Math.max(2, String(line).length);
  const length = spanLength(span, lines[line - 1] ?? '', column);
  const offset = offsetOf(column - 1, length);

  const shown: string[] = [];
  for (let number = first; number <= line; number++) {
    const text = visible(clip(lines[number - 1] ?? '', offset));
    shown.push(`  ${String(number).padStart(gutter)} | ${text}`.trimEnd());
  }
  const cause = lines[line - 1] ?? '';
  const lead = blank(clip(cause.slice(0, column - 1), offset, column - 1));
  const under = widthOf(cause.slice(column - 1, column - 1 + length).slice(0, frameWidth));
  shown.push(`  ${' '.repeat(gutter)} | ${lead}${'^'.repeat(Math.max(1, under))}`);
  return shown.join('\n');
}

/** Text without what a terminal would act on: control characters and direction marks. */
export function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t]|\p{Bidi_Control}|[\u2028\u2029]/gu, '\ufffd');
}

/** How much of the span stands on its first line. */
function spanLength({ start, end }: Span, line: string, column: number): number {
  return Math.max(0, Math.min(end - start, line.length - column + 1));
}

/** Where a frame begins to show its lines, so that a cause far to the right is seen. */
function offsetOf(before: number, length: number): number {
  const end = before + Math.min(length, frameWidth / 2);
  return end <= frameWidth ? 0 : Math.max(0, before - frameWidth / 2);
}

function clip(line: string, offset: number, end: number = offset + frameWidth): string {
  const head = offset > 0 && line.length > offset ? '…' : '';
  const tail = line.length > end ? '…' : '';
  return head + line.slice(offset, end) + tail;
}

/** Blanks as wide as a text. */
function blank(text: string): string {
  return Array.from(text)
    .map((each) => (each === '\t' ? '\t' : ' '.repeat(characterWidth(each))))
    .join('');
}

function widthOf(text: string): number {
  return Array.from(text).reduce(
    (width, each) => width + (each === '\t' ? 1 : characterWidth(each)),
    0,
  );
}

/** The columns of a terminal that a character takes. */
function characterWidth(character: string): 0 | 1 | 2 {
  if (/^(?:[\p{Mn}\p{Me}\u200b-\u200d]|\ufe0f)$/u.test(character)) return 0;
  return /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u.test(
    character,
  )
    ? 2
    : 1;
}
