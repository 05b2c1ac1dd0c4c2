import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { LexicalRules } from '../source/lexer.js';
import type { Span } from '../source/source.js';
import type { Column, Table } from '../table/table.js';
import {
  annotationNamed,
  readChoice,
  readInbox,
  type FormName,
  type InboxArgument,
} from './annotation-arguments.js';
import { annotationProblems } from './annotation-problems.js';
import { assignRoles, type Cast } from './assign-roles.js';
import { attemptOf } from './attempt.js';
import { childRowWarnings } from './child-rows.js';
import { expiryOf, misplacedEpoch, precisionWarning } from './expiry.js';
import { formOf } from './form.js';
import { keyOf } from './key.js';
import { lockKeyOf } from './lock-key.js';
import { queueNames } from './names.js';
import { misplacedOwnLock, ownLockOf } from './own-lock.js';
import { propertyDuplicates } from './properties.js';
import type { AdvisoryQueue, LeaseQueue, Queue, QueueTable, RowLockQueue } from './queue.js';
import { roles, traitsOf } from './roles.js';

/**
 * What an annotated table is as a queue: its form, its roles and its names. Everything that is
 * wrong with it is found in one pass; with an error among that, there is no queue. `rules` are those
 * of the table's dialect, by which SQL of the author's is read.
 */
export function resolveQueue(table: Table, rules: LexicalRules): Result<Queue> {
  const diagnostics: Diagnostic[] = [...annotationProblems(table)];
  const take = <Value>(result: Result<Value>): Value | undefined => {
    diagnostics.push(...result.diagnostics);
    return result.value;
  };
  const said = inboxOf(table);
  if (said === undefined) return { diagnostics };
  const inbox = take(said);
  const { value: cast, diagnostics: miscast } = assignRoles(table);
  diagnostics.push(...miscast, ...misplacedEpochs(table, cast));

  const names = inbox && take(queueNames(table, inbox));
  const form = inbox && take(formOf(table, inbox, cast.locked_until[0]));
  const key = take(keyOf(table, cast.id));
  const clock = take(clockOf(table));
  const [counter] = cast.attempt;
  const [payload] = cast.payload;
  const hold = inbox && form && take(holdOf(form, table, cast, inbox.span, rules));
  const attempt = counter === undefined ? undefined : take(attemptOf(counter));

  const rowColumns = table.columns.filter((column) => !cast.locked_until.includes(column));
  diagnostics.push(...propertyDuplicates(rowColumns), ...unknownTypes(rowColumns, table));
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (failed || !names || !key || !clock || !hold) return { diagnostics };
  const common: QueueTable = {
    dialect: table.dialect,
    table,
    names,
    key,
    ...(attempt && { attempt }),
    ...(payload && { payload }),
    rowColumns,
    insertColumns: rowColumns
      .filter((column) => column.generated === undefined && column !== counter)
      .map((column) => ({ column, flagged: column.default !== undefined })),
    clock,
  };
  return { value: { ...common, ...hold }, diagnostics };
}

/** What `@inbox` says; `@advisory` alone says as much as `@inbox` with nothing behind it. */
function inboxOf({ annotations }: Table): Result<InboxArgument> | undefined {
  const inbox = annotationNamed(annotations, 'inbox');
  if (inbox !== undefined) return readInbox(inbox);
  const advisory = annotationNamed(annotations, 'advisory');
  return advisory && { value: { span: advisory.span }, diagnostics: [] };
}

/** What a form adds to a table: what holds a row while its handler runs. */
type Hold =
  | Omit<LeaseQueue, keyof QueueTable>
  | Omit<RowLockQueue, keyof QueueTable>
  | Omit<AdvisoryQueue, keyof QueueTable>;

/** `place` is where a table is complained of that lacks what its form needs. */
function holdOf(
  form: FormName,
  table: Table,
  cast: Cast,
  place: Span,
  rules: LexicalRules,
): Result<Hold> {
  switch (form) {
    case 'lease':
      return leaseOf(table, cast, place);
    case 'row-lock':
      return {
        value: { kind: 'row-lock' },
        diagnostics: [...misplacedOwnLock(table, form), ...childRowWarnings(table)],
      };
    case 'advisory':
      return advisoryOf(table, place, rules);
  }
}

function leaseOf(table: Table, cast: Cast, place: Span): Result<Hold> {
  const { value: lockedUntil, diagnostics } = expiryOf(table, cast.locked_until[0], place);
  const found = [...diagnostics, ...misplacedOwnLock(table, 'lease')];
  if (lockedUntil === undefined) return { diagnostics: found };
  if (cast.attempt.length === 0) found.push(...precisionWarning(lockedUntil, table));
  return { value: { kind: 'lease', lockedUntil }, diagnostics: found };
}

function advisoryOf(table: Table, place: Span, rules: LexicalRules): Result<Hold> {
  const advisory = annotationNamed(table.annotations, 'advisory');
  const { value: lockKey, diagnostics } = lockKeyOf(table, advisory, place);
  const { ownLock, diagnostics: ownFound } = ownLockOf(table, rules);
  const found = [...diagnostics, ...ownFound];
  if (lockKey === undefined) return { diagnostics: found };
  return { value: { kind: 'advisory', lockKey, ...(ownLock && { ownLock }) }, diagnostics: found };
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
