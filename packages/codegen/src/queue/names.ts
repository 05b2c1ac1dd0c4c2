import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import type { Table } from '../table/table.js';
import { annotationNamed, readInbox, type InboxArgument } from './annotation-arguments.js';
import { fileName } from './file-name.js';
import { lowerFirst, upperFirst, wordsOf } from './properties.js';
import type { QueueNames } from './queue.js';

/**
 * The names that a table gives to generated code: what `@inbox` says, else the table's name in
 * PascalCase, nothing singularised. Finds `name-invalid`: no identifier of TypeScript, or one that
 * the generated module needs for something else.
 */
export function queueNames(table: Table, { name }: InboxArgument): Result<QueueNames> {
  const row = name?.text ?? pascalCase(table.name.text);
  const names: QueueNames = {
    row,
    newRow: `New${row}`,
    queue: `${row}Queue`,
    key: `${row}Key`,
    spec: `${lowerFirst(row)}Spec`,
    file: fileName(table.name.text),
  };
  const span = name?.span ?? table.name.span;
  if (!identifier.test(row)) {
    const what = name === undefined ? `table "${row === '' ? table.name.text : row}"` : `"${row}"`;
    return invalid(`${what} does not make a name for a type`, span);
  }
  const taken = exportedNames(names).find((exported) => reservedNames.has(exported));
  if (taken !== undefined) {
    return invalid(`"${row}" would be exported as ${taken}, which means something else`, span);
  }
  return { value: names, diagnostics: [] };
}

/** What a module exports under these names, the class first. */
export function exportedNames(names: QueueNames): readonly string[] {
  return [names.queue, names.spec, names.row, names.newRow, names.key];
}

/** Where a queue's name stands: in its annotation, else as its table's name. */
export function placeOfName(table: Table): Span {
  const annotation = annotationNamed(table.annotations, 'inbox');
  return (annotation && readInbox(annotation).value?.name?.span) ?? table.name.span;
}

/** An identifier of TypeScript, from ECMAScript's `IdentifierName`. */
export const identifier: RegExp = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** Words that no declaration of a module may be named, in strict mode or as a type. */
export const reservedWords: ReadonlySet<string> = new Set(
  `any arguments as async await bigint boolean break case catch class const continue debugger declare
  default delete do else enum eval export extends false finally for from function get globalThis if
  implements import in infer instanceof interface is keyof let module namespace never new null number
  object of package private protected public readonly require return satisfies set static string super
  switch symbol this throw true try type typeof undefined unique unknown using var void while with
  yield`.split(/\s+/),
);

/** What generated modules of this version and of later ones name themselves. */
const reservedNames: ReadonlySet<string> = new Set([
  ...reservedWords,
  'Array',
  'Date',
  'Promise',
  'Readonly',
  'Record',
  'Uint8Array',
  'AdvisoryQueue',
  'AdvisorySpec',
  'InboxDatabase',
  'LeaseQueue',
  'LeaseSpec',
  'OwnLock',
  'QueueOptions',
  'RowLockQueue',
  'RowLockSpec',
  'list',
]);

function pascalCase(table: string): string {
  const joined = wordsOf(table).map(upperFirst).join('');
  return /^\p{Nd}/u.test(joined) ? `_${joined}` : joined;
}

function invalid(message: string, span: Span): Result<never> {
  const diagnostic: Diagnostic = {
    code: 'name-invalid',
    severity: 'error',
    message,
    span,
    help: 'write the name of the row type into the annotation: @inbox RenderReport',
  };
  return { diagnostics: [diagnostic] };
}
