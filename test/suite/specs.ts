import type { Statement } from 'inbox-runtime/v1';

/** What a generated spec holds of statements, whatever its table. */
export interface AnySpec {
  readonly table: string;
  readonly statements: Readonly<Partial<Record<string, Readonly<Record<string, Statement>>>>>;
}

/** The specs that a generated module, or a folder's index, exports. */
export function specsOf(
  exported: object,
): readonly { readonly name: string; readonly spec: AnySpec }[] {
  return Object.entries(exported)
    .filter(([name]) => name.endsWith('Spec'))
    .map(([name, spec]) => ({ name, spec: spec as AnySpec }));
}
