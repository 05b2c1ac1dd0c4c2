/** A schema file: its path as the user gave it and its whole text. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A stretch of a source, in UTF-16 units: `start` is inside, `end` is not. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** A place as people and editors count it: both from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The line and column of an offset. A line ends at `\n`, `\r\n` or a lone `\r`. */
export function positionAt(source: Source, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  const text = source.text;
  for (let i = 0; i < offset && i < text.length; i++) {
    const unit = text[i];
    if (unit === '\n' || (unit === '\r' && text[i + 1] !== '\n')) {
      line++;
      lineStart = i + 1;
    }
  }
  return { line, column: offset - lineStart + 1 };
}
