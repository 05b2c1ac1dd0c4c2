import type { Statement } from 'inbox-runtime/v1';

/** What a test binds to a statement's values, by their names. */
export type Bound = Readonly<Record<string, string | number | null | undefined>>;

/** What a statement answered: its rows as arrays of texts, and how many rows it found or changed. */
export interface Answer {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly count: number;
}

/** A generated spec, whatever its form. */
export interface AnySpec {
  readonly statements: object;
}

/** A statement of a spec for a database; fails where it has none of that name. */
export function statementOf(spec: AnySpec, database: string, name: string): Statement {
  const sets = spec.statements as Readonly<
    Partial<Record<string, Readonly<Partial<Record<string, Statement>>>>>
  >;
  const found = sets[database]?.[name];
  if (found === undefined) throw new Error(`no statement ${name} for ${database}`);
  return found;
}

/** A statement's values in their order. Fails for one that nothing is bound to. */
export function valuesOf({ values }: Statement, bound: Bound): (string | number | null)[] {
  return values.map((name) => {
    const value = bound[name];
    if (value === undefined) throw new Error(`nothing is bound to ${name}`);
    return value;
  });
}
