import type { Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Span } from '../source/source.js';
import type { Column, Table } from '../table/table.js';
import { lockKeyTemplate, type TemplatePart } from './lock-key-template.js';
import type { AdvisoryQueue } from './queue.js';
import { traitsOf } from './roles.js';

/**
 * The lock key of an advisory table, with the columns that its template names. `place` is where a
 * table without `@advisory` is complained of.
 *
 * Beside what is wrong with the template, finds `lock-key-invalid`, a column that the table does not
 * have; `lock-key-null`, one that may be NULL, since a row without a key could never be locked; and
 * `lock-key-type`, one whose text is not the same for every session of the server.
 */
export function lockKeyOf(
  table: Table,
  annotation: Annotation | undefined,
  place: Span,
): Result<AdvisoryQueue['lockKey']> {
  if (annotation === undefined) return missing(table, place);
  const template = lockKeyTemplate(annotation);
  if (template.value === undefined) return { diagnostics: template.diagnostics };
  const diagnostics: Diagnostic[] = [];
  const value = template.value.flatMap((part): AdvisoryQueue['lockKey'] => {
    if (part.kind === 'text') return [part.text];
    const column = columnNamed(part.name, table);
    if (column === undefined) diagnostics.push(unknown(part, table));
    else diagnostics.push(...unfit(column, part.span, table));
    return column === undefined ? [] : [column];
  });
  return diagnostics.length > 0 ? { diagnostics } : { value, diagnostics };
}

/** A column by its name; a bare one in any case, as in SQL. */
function columnNamed(name: string, { columns }: Table): Column | undefined {
  const lower = name.toLowerCase();
  return (
    columns.find((column) => column.name.text === name) ??
    columns.find((column) => !column.name.quoted && column.name.text.toLowerCase() === lower)
  );
}

function missing({ name, primaryKey }: Table, span: Span): Result<never> {
  const [first = 'id'] = primaryKey;
  return {
    diagnostics: [
      {
        code: 'lock-key-missing',
        severity: 'error',
        message: `table "${name.text}" is advisory, and nothing says what is locked`,
        span,
        help: `write \`@advisory\` with the lock's key: \`@advisory ${name.text}-<${first}>\` works every row by itself`,
      },
    ],
  };
}

function unknown(part: TemplatePart & { readonly kind: 'column' }, table: Table): Diagnostic {
  const names = table.columns.map(({ name }) => name.text);
  const meant = didYouMean(part.name.trim(), names);
  return {
    code: 'lock-key-invalid',
    severity: 'error',
    message: `"${part.name}" is no column of table "${table.name.text}"`,
    span: part.span,
    help: meant === undefined ? `its columns are ${names.join(', ')}` : `did you mean <${meant}>?`,
  };
}

function unfit(column: Column, span: Span, table: Table): readonly Diagnostic[] {
  const name = column.name.text;
  const related = { span: column.span, message: 'the column' };
  const reason = unstableText(column, traitsOf(table).wholeDecimals);
  return [
    ...(reason === undefined
      ? []
      : [
          {
            code: 'lock-key-type',
            severity: 'error',
            message: `"${name}" cannot be in a lock key: ${reason}`,
            span,
            help: 'use an integer, text, a UUID, a boolean or a number without a fraction',
            related,
          } satisfies Diagnostic,
        ]),
    ...(column.nullable
      ? [
          {
            code: 'lock-key-null',
            severity: 'error',
            message: `"${name}" may be NULL, and a row without a key could not be locked`,
            span,
            help: 'add NOT NULL to the column',
            related,
          } satisfies Diagnostic,
        ]
      : []),
  ];
}

/** Why a column's text is not one text for one value; nothing where it is. */
function unstableText(column: Column, wholeDecimals: boolean): string | undefined {
  switch (column.type.kind) {
    case 'integer':
    case 'text':
    case 'uuid':
    case 'boolean':
      return undefined;
    case 'decimal':
      return isWhole(column, wholeDecimals)
        ? undefined
        : '1.5 and 1.50 are one number, not one text';
    case 'bytes':
      return isBinary16(column) ? undefined : 'the text of bytes is not the same everywhere';
    case 'float':
      return "the text of a float depends on the session's settings";
    case 'date':
    case 'time':
    case 'instant':
      return "the text of a date or time depends on the session's settings";
    case 'json':
      return 'one JSON value has many texts';
    case 'unknown':
      return 'its type is not known here';
  }
}

/** `NUMERIC(10)` and `NUMERIC(10, 0)`; without arguments it depends on the database. */
function isWhole(column: Column, wholeDecimals: boolean): boolean {
  const written = typeAsWritten(column);
  return written.includes('(') ? /\(\d+(?:,0+)?\)/.test(written) : wholeDecimals;
}

/** A UUID as MySQL keeps it. */
function isBinary16(column: Column): boolean {
  return /^binary\(16\)$/i.test(typeAsWritten(column));
}

function typeAsWritten({ typeSpan: { source, start, end } }: Column): string {
  return source.text.slice(start, end).replace(/\s+/g, '');
}
