import type { Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';

/** A piece of a lock key's template: text as it is, or a column's name and where it stands. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'column'; readonly name: string; readonly span: Span };

/**
 * Reads the template of `@advisory`: text and `<column>`s; a `<` ends at the next `>`, and `<<` is
 * a `<`. Finds `lock-key-missing`, an empty one, and `lock-key-invalid`: a `<` that never ends, one
 * with nothing in it, and a template without a column, whose rows would all share one lock.
 */
export function lockKeyTemplate(annotation: Annotation): Result<readonly TemplatePart[]> {
  const { argument, argumentSpan, span } = annotation;
  const { source, start } = argumentSpan;
  if (argument === '') {
    return wrong('lock-key-missing', '@advisory says no lock key', span, templateHelp);
  }
  const parts: TemplatePart[] = [];
  let text = '';
  for (const { 0: piece, index, groups } of argument.matchAll(pieces)) {
    const at: Span = { source, start: start + index, end: start + index + piece.length };
    const name = groups?.['name'];
    if (piece === '<<') text += '<';
    else if (piece === '<') {
      return wrong(
        'lock-key-invalid',
        'this < has no >',
        at,
        'write > behind the column, or << for a <',
      );
    } else if (name === undefined) text += piece;
    else if (name.trim() === '') {
      return wrong('lock-key-invalid', 'no column stands between < and >', at, templateHelp);
    } else {
      if (text !== '') parts.push({ kind: 'text', text });
      parts.push({ kind: 'column', name, span: at });
      text = '';
    }
  }
  if (parts.length === 0) {
    const message = 'this key has no column in it, so all rows would share one lock';
    return wrong('lock-key-invalid', message, argumentSpan, templateHelp);
  }
  if (text !== '') parts.push({ kind: 'text', text });
  return { value: parts, diagnostics: [] };
}

/** A `<<`, a column, a `<` that is neither, and what stands between them. */
const pieces = /<<|<(?<name>[^>]*)>|<|[^<]+/g;

const templateHelp = 'write text and the names of columns: `@advisory jobs-<account_id>`';

function wrong(code: Diagnostic['code'], message: string, span: Span, help: string): Result<never> {
  return { diagnostics: [{ code, severity: 'error', message, span, help }] };
}
