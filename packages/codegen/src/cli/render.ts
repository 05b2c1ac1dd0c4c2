import type { Diagnostic, Severity } from '../source/diagnostic.js';
import { positionAt, type Span } from '../source/source.js';
import { codeFrame, visible } from './frame.js';

/** How a diagnostic is printed. */
export interface RenderOptions {
  readonly color: boolean;
}

/**
 * Diagnostics as people and editors read them, a blank line between two: `file:line:column severity
 * code: message`, the lines with a caret under the cause, `help:`. Sorted by file and place; what has
 * no place comes last. Notes are not shown.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: RenderOptions,
): string {
  return [...diagnostics]
    .filter(({ severity }) => severity !== 'note')
    .sort(byPlace)
    .map((diagnostic) => renderDiagnostic(diagnostic, options))
    .join('\n');
}

/** `2 errors and 1 warning in 1 file`, or an empty text where there is neither. */
export function countProblems(diagnostics: readonly Diagnostic[]): string {
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  if (counts.length === 0) return '';
  const shown = diagnostics.filter(({ severity }) => severity !== 'note');
  const files = new Set(shown.flatMap(({ span }) => (span ? [span.source.path] : [])));
  const where = files.size === 0 ? '' : ` in ${plural(files.size, 'file')}`;
  return `${counts.join(' and ')}${where}`;
}

/** A count and its noun: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function renderDiagnostic(diagnostic: Diagnostic, { color }: RenderOptions): string {
  const { code, severity, message, span, help, related } = diagnostic;
  const painted = color ? `${colors[severity]}${severity} ${code}\u001b[0m` : `${severity} ${code}`;
  const place = span === undefined ? '' : `${placeOf(span)} `;
  return [
    `${place}${painted}: ${visible(message)}`,
    ...(span === undefined || isWholeFile(span) ? [] : [codeFrame(span)]),
    ...(related === undefined ? [] : renderRelated(related)),
    ...(help === undefined ? [] : [`  help: ${visible(help)}`]),
    '',
  ].join('\n');
}

function renderRelated({ span, message }: NonNullable<Diagnostic['related']>): readonly string[] {
  return [`  ${visible(message)}: ${placeOf(span)}`, codeFrame(span, 0)];
}

const colors: Readonly<Record<Severity, string>> = {
  error: '\u001b[31m',
  warning: '\u001b[33m',
  note: '\u001b[36m',
};

/** `db/schema.sql:14:16`, which editors turn into a link. */
function placeOf({ source, start }: Span): string {
  const { line, column } = positionAt(source, start);
  return `${visible(source.path)}:${line}:${column}`;
}

/** A finding about a file as a whole stands at its beginning, where there is nothing to show. */
function isWholeFile({ start, end }: Span): boolean {
  return start === 0 && end === 0;
}

function byPlace(left: Diagnostic, right: Diagnostic): number {
  if (left.span === undefined || right.span === undefined) {
    return Number(left.span === undefined) - Number(right.span === undefined);
  }
  const [leftPath, rightPath] = [left.span.source.path, right.span.source.path];
  if (leftPath !== rightPath) return leftPath < rightPath ? -1 : 1;
  return left.span.start - right.span.start;
}
