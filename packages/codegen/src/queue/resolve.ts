import type { Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Column, Table } from '../table/table.js';
import {
  annotationNamed,
  readChoice,
  readInbox,
  type InboxArgument,
} from './annotation-arguments.js';
import { annotationProblems } from './annotation-problems.js';
import { assignRoles, type Cast } from './assign-roles.js';
import { attemptOf } from './attempt.js';
import { expiryOf, misplacedEpoch, precisionWarning } from './expiry.js';
import { keyOf } from './key.js';
import { queueNames } from './names.js';
import { propertyDuplicates } from './properties.js';
import type { LeaseQueue } from './queue.js';
import { roles, traitsOf } from './roles.js';

/**
 * What an annotated table is as a queue: its form, its roles and its names. Everything that is
 * wrong with it is found in one pass; with an error among that, there is no queue.
 */
export function resolveQueue(table: Table): Result<LeaseQueue> {
  const annotation = annotationNamed(table.annotations, 'inbox');
  const diagnostics: Diagnostic[] = [...annotationProblems(table)];
  if (annotation === undefined) return { diagnostics };
  const take = <Value>(result: Result<Value>): Value | undefined => {
    diagnostics.push(...result.diagnostics);
    return result.value;
  };
  const inbox = take(readInbox(annotation));
  const { value: cast, diagnostics: miscast } = assignRoles(table);
  diagnostics.push(...miscast, ...misplacedEpochs(table, cast));

  const names = inbox && take(queueNames(table, inbox));
  const form = inbox && take(formOf(inbox, annotation, cast.locked_until.length > 0));
  const key = take(keyOf(table, cast.id));
  const clock = take(clockOf(table));
  const [counter] = cast.attempt;
  const [holder] = cast.locked_until;
  const [payload] = cast.payload;
  const expiry = form === undefined ? undefined : take(expiryOf(table, holder, annotation.span));
  const attempt = counter === undefined ? undefined : take(attemptOf(counter));
  if (expiry !== undefined && counter === undefined) {
    diagnostics.push(...precisionWarning(expiry, table));
  }

  const rowColumns = table.columns.filter((column) => !cast.locked_until.includes(column));
  diagnostics.push(...propertyDuplicates(rowColumns), ...unknownTypes(rowColumns, table));
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (failed || !names || !key || !clock || !expiry) return { diagnostics };
  const value: LeaseQueue = {
    kind: 'lease',
    dialect: table.dialect,
    table,
    names,
    key,
    lockedUntil: expiry,
    ...(attempt && { attempt }),
    ...(payload && { payload }),
    rowColumns,
    insertColumns: rowColumns
      .filter((column) => column.generated === undefined && column !== counter)
      .map((column) => ({ column, flagged: column.default !== undefined })),
    clock,
  };
  return { value, diagnostics };
}

/** Only the lease form works in this version; without a form word the columns decide. */
function formOf(
  { form, span }: InboxArgument,
  annotation: Annotation,
  hasExpiry: boolean,
): Result<'lease'> {
  if (form === 'lease' || (form === undefined && hasExpiry)) {
    return { value: 'lease', diagnostics: [] };
  }
  const meant = form ?? 'row-lock';
  return {
    diagnostics: [
      {
        code: 'form-unsupported',
        severity: 'error',
        message: `this version of inbox-gen has the form lease, not ${meant}`,
        span: form === undefined ? span : annotation.argumentSpan,
        help:
          form === undefined
            ? 'no column plays locked_until, so this would be row-lock; add a nullable one and write `@inbox lease`'
            : 'write `@inbox lease` and add a nullable column locked_until',
      },
    ],
  };
}

function clockOf({ annotations }: Table): Result<'database' | 'host'> {
  const annotation = annotationNamed(annotations, 'clock');
  if (annotation === undefined) return { value: 'database', diagnostics: [] };
  return readChoice(annotation, ['host']);
}

function misplacedEpochs({ columns }: Table, cast: Cast): readonly Diagnostic[] {
  const instants = roles.filter(({ instant }) => instant);
  return columns.flatMap((column) => {
    const holdsInstant = instants.some(({ name }) => cast[name].includes(column));
    return misplacedEpoch(column, holdsInstant);
  });
}

function unknownTypes(columns: readonly Column[], table: Table): readonly Diagnostic[] {
  return columns
    .filter(({ type }) => type.kind === 'unknown')
    .map(({ name, typeSpan }) => ({
      code: 'column-type-unknown',
      severity: 'warning',
      message: `the type of "${name.text}" is not known, so the row has it as \`unknown\``,
      span: typeSpan,
      help: `it crosses ${traitsOf(table).unknownCrossing}`,
    }));
}
