import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/source.js';
import type { Column, Table } from '../table/table.js';
import { annotationNamed } from './annotation-arguments.js';
import { roles, traitsOf, type Role, type RoleName } from './roles.js';

/** The columns of each role; none where no column plays it, several only for the id. */
export type Cast = Readonly<Record<RoleName, readonly Column[]>>;

/** Who plays what, and what is wrong with it. */
export interface Casting {
  readonly value: Cast;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Says which column plays which role. An annotation decides; a column that has none plays the role
 * whose name it bears, the primary key is the id, and `@data` takes both from a column.
 *
 * Finds `role-duplicate` (two columns for one role, two roles for one column) and the role's own
 * code for a column whose type cannot play it.
 */
export function assignRoles(table: Table): Casting {
  const cast: Record<RoleName, readonly Column[]> = {
    id: [],
    attempt: [],
    locked_until: [],
    payload: [],
  };
  for (const role of roles) cast[role.name] = playersOf(role, table);
  const diagnostics = [
    ...roles.flatMap((role) => tooManyColumns(role, cast[role.name])),
    ...table.columns.flatMap((column) => tooManyRoles(column, cast)),
    ...roles.flatMap((role) => wrongTypes(role, cast[role.name], table)),
  ];
  return { value: cast, diagnostics };
}

function playersOf(role: Role, table: Table): readonly Column[] {
  const told = table.columns.filter((column) => annotationNamed(column.annotations, role.name));
  // The id is what the primary key says unless somebody says otherwise; a name is only a hint.
  if (role.composite && told.length > 0) return told;
  return table.columns.filter(
    (column) => told.includes(column) || (role.untold(column, table) && isFree(role, column)),
  );
}

/** Whether nothing keeps a column from a role that it would play untold. */
function isFree(role: Role, { annotations }: Column): boolean {
  if (annotationNamed(annotations, 'data')) return false;
  return role.composite || !roles.some(({ name }) => annotationNamed(annotations, name));
}

function tooManyColumns(role: Role, columns: readonly Column[]): readonly Diagnostic[] {
  const [first, ...others] = columns;
  if (role.composite || first === undefined) return [];
  return others.map((column) => ({
    code: 'role-duplicate',
    severity: 'error',
    message: `both "${first.name.text}" and "${column.name.text}" play ${role.name}`,
    span: placeOf(role, column),
    help: 'write @data beside the one that does not',
    related: { span: placeOf(role, first), message: 'the first' },
  }));
}

function tooManyRoles(column: Column, cast: Cast): readonly Diagnostic[] {
  const played = roles.filter(({ name }) => cast[name].includes(column));
  const [first, second] = played;
  if (first === undefined || second === undefined) return [];
  return [
    {
      code: 'role-duplicate',
      severity: 'error',
      message: `"${column.name.text}" plays both ${first.name} and ${second.name}`,
      span: placeOf(second, column),
      help: `write @${first.name} beside it if that is all it is`,
      related: { span: placeOf(first, column), message: first.name },
    },
  ];
}

function wrongTypes(role: Role, columns: readonly Column[], table: Table): readonly Diagnostic[] {
  const { type } = role;
  if (type === undefined) return [];
  const traits = traitsOf(table);
  return columns
    .filter((column) => !type.accepts(column.type, traits))
    .map((column) => ({
      code: type.code,
      severity: 'error',
      message: `"${column.name.text}" is ${typeAsWritten(column)}, which ${type.wrong}`,
      span: column.typeSpan,
      help: type.help(traits),
    }));
}

/** Where a column says that it plays a role: at its annotation, else at its name. */
function placeOf(role: Role, column: Column): Span {
  return annotationNamed(column.annotations, role.name)?.span ?? column.name.span;
}

function typeAsWritten({ typeSpan: { source, start, end } }: Column): string {
  const written = source.text.slice(start, end).replace(/\s+/g, ' ');
  return written === '' ? 'of no type' : written;
}
