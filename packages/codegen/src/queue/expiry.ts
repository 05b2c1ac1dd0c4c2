import type { Annotation } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import type { Column, ColumnType, Table } from '../table/table.js';
import { annotationNamed, readChoice } from './annotation-arguments.js';
import type { InstantStorage } from './queue.js';
import { traitsOf } from './roles.js';

/** The units of `@epoch`. */
export type EpochUnit = 's' | 'ms' | 'us';

const epochUnits: readonly EpochUnit[] = ['s', 'ms', 'us'];

/** What a lease queue keeps of its expiry column. */
export interface Expiry {
  readonly column: Column;
  readonly storage: InstantStorage;
}

/**
 * Reads the expiry column of a lease table, given what plays `locked_until`. The type's kind has
 * been checked with the roles; here its width is, against the unit, and that it can be NULL and
 * written. `place` is where a table without one is complained of.
 */
export function expiryOf(table: Table, column: Column | undefined, place: Span): Result<Expiry> {
  if (column === undefined) return missing(table, place);
  const unit = unitOf(column);
  const width = widthProblems(column, unit.value ?? 'ms');
  const diagnostics = [...unit.diagnostics, ...width, ...writeProblems(column)];
  const storage = storageOf(column.type, unit.value ?? 'ms');
  if (storage === undefined || diagnostics.length > 0) return { diagnostics };
  return { value: { column, storage }, diagnostics };
}

/** Warns of a column that keeps whole seconds, where nothing else tells two deliveries apart. */
export function precisionWarning({ column, storage }: Expiry, table: Table): readonly Diagnostic[] {
  const whole =
    (storage.kind === 'epoch' && storage.unit === 's') ||
    ((storage.kind === 'zoned' || storage.kind === 'plain') && storage.digits === 0);
  if (!whole) return [];
  return [
    {
      code: 'lease-precision',
      severity: 'warning',
      message: `"${column.name.text}" keeps whole seconds, so two leases of a row can look the same`,
      span: column.typeSpan,
      help: `declare it ${traitsOf(table).instantExample}, or add a column: attempt INTEGER NOT NULL DEFAULT 1`,
    },
  ];
}

/** Complains of `@epoch` beside a column that is no integer, or that holds no moment for the queue. */
export function misplacedEpoch(column: Column, holdsInstant: boolean): readonly Diagnostic[] {
  const annotation = annotationNamed(column.annotations, 'epoch');
  if (annotation === undefined) return [];
  if (column.type.kind !== 'integer') {
    return [epochProblem(annotation, `"${column.name.text}" is no integer`)];
  }
  if (!holdsInstant) {
    return [epochProblem(annotation, `"${column.name.text}" plays no role that holds a moment`)];
  }
  return [];
}

function epochProblem(annotation: Annotation, message: string): Diagnostic {
  return {
    code: 'epoch-type',
    severity: 'error',
    message,
    span: annotation.span,
    help: '@epoch says the unit of an integer column that plays locked_until; take it away',
  };
}

function missing(table: Table, span: Span): Result<never> {
  const { instantExample } = traitsOf(table);
  return {
    diagnostics: [
      {
        code: 'lease-column-missing',
        severity: 'error',
        message: `table "${table.name.text}" has no column that says until when a row is held`,
        span,
        help: `add a column: locked_until ${instantExample}; or write @locked_until beside the one that does`,
      },
    ],
  };
}

function unitOf(column: Column): Result<EpochUnit> {
  const annotation = annotationNamed(column.annotations, 'epoch');
  if (annotation === undefined) return { value: 'ms', diagnostics: [] };
  return readChoice(annotation, epochUnits, 'ms');
}

function widthProblems({ name, type, typeSpan }: Column, unit: EpochUnit): readonly Diagnostic[] {
  if (type.kind !== 'integer') return [];
  if (type.bits >= 64 || (unit === 's' && type.bits >= 32)) return [];
  const needed = unit === 's' ? '32' : '64';
  return [
    {
      code: 'lease-column-type',
      severity: 'error',
      message: `"${name.text}" has ${type.bits} bits, and an epoch in ${unit} needs ${needed}`,
      span: typeSpan,
      help: 'declare it BIGINT, or INTEGER with @epoch s beside it (whole seconds)',
    },
  ];
}

function writeProblems(column: Column): readonly Diagnostic[] {
  const { name } = column;
  if (column.generated !== undefined) {
    return [
      {
        code: 'lease-column-type',
        severity: 'error',
        message: `"${name.text}" is filled by the database, so a claim cannot write it`,
        span: column.span,
        help: 'make it a column of its own that nothing computes',
      },
    ];
  }
  if (column.onUpdate !== undefined) {
    return [
      {
        code: 'lease-column-type',
        severity: 'error',
        message: `"${name.text}" moves with every update of its row, so a handler's own update would end the lease`,
        span: column.onUpdate,
        help: 'take ON UPDATE away',
      },
    ];
  }
  if (column.nullable) return [];
  return [
    {
      code: 'lease-column-not-null',
      severity: 'error',
      message: `"${name.text}" is NOT NULL, but a row that nobody holds has no expiry`,
      span: column.notNullSpan ?? column.span,
      help: 'take NOT NULL away',
    },
  ];
}

function storageOf(type: ColumnType, unit: EpochUnit): InstantStorage | undefined {
  if (type.kind === 'integer') return { kind: 'epoch', unit };
  if (type.kind === 'text') return { kind: 'text' };
  if (type.kind !== 'instant') return undefined;
  return type.stored === 'text' ? { kind: 'text' } : { kind: type.stored, digits: type.digits };
}
