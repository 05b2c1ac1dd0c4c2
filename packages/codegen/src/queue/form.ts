import type { Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import type { Column, Table } from '../table/table.js';
import { annotationNamed, type FormName, type InboxArgument } from './annotation-arguments.js';
import { traitsOf } from './roles.js';

/**
 * The form of a queue: what `@inbox` says, else `advisory` where `@advisory` is there, `lease` where
 * a column plays `locked_until`, and `row-lock`. `holder` is that column.
 *
 * Finds `form-conflict`, where the annotations and the columns mean different forms, and
 * `form-unsupported`, where the database has no such form.
 */
export function formOf(
  table: Table,
  inbox: InboxArgument,
  holder: Column | undefined,
): Result<FormName> {
  const advisory = annotationNamed(table.annotations, 'advisory');
  const form = inbox.form ?? (advisory ? 'advisory' : holder ? 'lease' : 'row-lock');
  const diagnostics = [
    ...(advisory && form !== 'advisory' ? [advisoryConflict(form, advisory, inbox.span)] : []),
    ...(holder && form !== 'lease' ? [holderConflict(form, holder)] : []),
    ...(form === 'row-lock' && !traitsOf(table).rowLocks ? [unsupported(table, inbox)] : []),
  ];
  return diagnostics.length > 0 ? { diagnostics } : { value: form, diagnostics };
}

function advisoryConflict(form: FormName, advisory: Annotation, inbox: Span): Diagnostic {
  return {
    code: 'form-conflict',
    severity: 'error',
    message: `@advisory gives the key of an advisory lock, and the form is ${form}`,
    span: advisory.span,
    help: 'take @advisory away, or write `@inbox advisory`',
    related: { span: inbox, message: 'the form' },
  };
}

function holderConflict(form: FormName, holder: Column): Diagnostic {
  const annotation = annotationNamed(holder.annotations, 'locked_until');
  const otherwise = form === 'advisory' ? 'take @advisory away' : 'write `@inbox lease`';
  return {
    code: 'form-conflict',
    severity: 'error',
    message: `"${holder.name.text}" plays locked_until, which only the form lease has, and the form is ${form}`,
    span: annotation?.span ?? holder.name.span,
    help:
      annotation === undefined
        ? `write @data beside it if it is no lease; else ${otherwise}`
        : `take @locked_until away; or ${otherwise}`,
  };
}

/** The form that a table gets untold is explained: nobody wrote it. */
function unsupported(table: Table, { form, span }: InboxArgument): Diagnostic {
  const { instantExample } = traitsOf(table);
  return {
    code: 'form-unsupported',
    severity: 'error',
    message:
      form === undefined
        ? `no column plays locked_until, so the form is row-lock, which ${table.dialect} does not have`
        : `${table.dialect} has the forms lease and advisory, not ${form}`,
    span,
    help: `write \`@inbox lease\` and add a column: locked_until ${instantExample}; or write \`@advisory <id>\`, with the column whose rows are worked one at a time`,
  };
}
