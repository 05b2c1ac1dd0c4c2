import type { Span } from './source.js';

/** How bad a finding is: an `error` writes nothing, a `warning` and a `note` do. */
export type Severity = 'error' | 'warning' | 'note';

/**
 * A finding about a schema file: a value, made where the cause is known, never thrown.
 * `code` is one of `diagnosticCodes`, the only thing a script should match on.
 */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** What is wrong, in one line, naming the table or column. */
  readonly message: string;
  /** Where; absent only where there is no place in a file. */
  readonly span?: Span;
  /** What to do about it. */
  readonly help?: string;
  /** A second place that the finding is about, such as the first of two equal names. */
  readonly related?: { readonly span: Span; readonly message: string };
}

/** A value and what was found while making it. `value` is absent where an error prevents one. */
export interface Result<T> {
  readonly value?: T;
  readonly diagnostics: readonly Diagnostic[];
}

/** Every code a diagnostic can have, in the order of `docs/errors.md`. */
export const diagnosticCodes = [
  // reading
  'unreadable-table',
  'no-queue',
  'dialect-unknown',
  'dialect-unrecognised',
  'second-opinion',
  'second-opinion-unavailable',
  // annotations
  'annotation-unknown',
  'annotation-argument',
  'annotation-dangling',
  'annotation-duplicate',
  'annotation-not-yet',
  // the queue
  'form-unsupported',
  'form-conflict',
  'lock-key-missing',
  'lock-key-invalid',
  'lock-key-null',
  'lock-key-type',
  'own-lock-invalid',
  'sql-fragment-invalid',
  'row-lock-foreign-key',
  'role-duplicate',
  'key-missing',
  'lease-column-missing',
  'lease-column-not-null',
  'lease-column-type',
  'lease-precision',
  'attempt-type',
  'attempt-default',
  'epoch-type',
  'column-type-unknown',
  'column-type-conflict',
  'form-differs',
  'columns-differ',
  'clock-differs',
  // names
  'name-invalid',
  'queue-name-duplicate',
  'property-duplicate',
  // output
  'input-unreadable',
  'output-foreign',
  'output-unwritable',
  'check-drift',
  'usage',
  'internal',
] as const;

export type DiagnosticCode = (typeof diagnosticCodes)[number];
