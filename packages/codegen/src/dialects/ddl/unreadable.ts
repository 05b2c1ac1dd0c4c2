import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source.js';

/** `unreadable-table`: the DDL of a queue that cannot be read, or whose columns stand elsewhere. */
export function unreadable(message: string, span: Span, help: string): Diagnostic {
  return { code: 'unreadable-table', severity: 'error', message, span, help };
}
