import type {
  InterfaceDeclarationStructure,
  SourceFileStructure,
  StatementStructures,
  StructureKind,
  VariableDeclarationKind,
  WriterFunction,
} from 'ts-morph';
import type { StatementSet } from '../dialects/statements.js';
import type { Property, QueueFamily } from '../queue/queue.js';
import { keyProperties, newRowType, rowType } from './columns.js';
import { formCode } from './form-code.js';
import { docCode, docText, propertyKey, stringLiteral } from './names.js';
import { builtinsOf, carriersOf } from './spec.js';

/** The enums of ts-morph that structures need, from wherever it was loaded. */
export interface StructureWords {
  readonly StructureKind: typeof StructureKind;
  readonly VariableDeclarationKind: typeof VariableDeclarationKind;
}

/**
 * What stands in the structure for the spec's literal: ts-morph moves the lines of an initializer to
 * the right, and those of a template literal with them, which would change the SQL.
 */
const specPlaceholder = '{}';

/** A family's module, behind its header and with an empty spec, as ts-morph's structures. */
export function moduleStructure(
  family: QueueFamily,
  statementSets: readonly StatementSet[],
  { StructureKind: kinds, VariableDeclarationKind: declarations }: StructureWords,
): Partial<SourceFileStructure> {
  const { names, queues, properties } = family;
  const table = docCode(queues[0].table.name.text);
  const databases = queues.map(({ dialect }) => stringLiteral(dialect)).join(' | ');
  const form = formCode(family);
  const parameters = `<${names.row}, ${names.newRow}, ${names.key}, ${databases}>`;
  return {
    statements: [
      {
        kind: kinds.ImportDeclaration,
        moduleSpecifier: 'inbox-runtime/v1',
        namedImports: (writer) => writer.write(importList(family, statementSets)),
      },
      (writer) => writer.newLine(),
      {
        kind: kinds.Interface,
        isExported: true,
        name: names.row,
        docs: [rowDoc(family, table)],
        properties: properties.map((property) => ({
          name: propertyKey(property.name),
          isReadonly: true,
          type: rowType(property),
          docs: [propertyDoc(property, queues)],
        })),
      },
      ...newRowStructures(family, table, kinds),
      {
        kind: kinds.TypeAlias,
        isExported: true,
        name: names.key,
        type: keyType(family),
        docs: [`The key of ${table}, as \`enqueue\` answers it.`],
      },
      (writer) => writer.newLine(),
      {
        kind: kinds.VariableStatement,
        isExported: true,
        declarationKind: declarations.Const,
        docs: [`The statements of ${table} and how its rows cross.`],
        declarations: [
          {
            name: names.spec,
            type: `${form.spec}${parameters}`,
            initializer: specPlaceholder,
          },
        ],
      },
      {
        kind: kinds.Class,
        isExported: true,
        name: names.queue,
        extends: `${form.queue}${parameters}`,
        docs: [form.doc(table)],
        ctors: [
          {
            parameters: [
              { name: 'database', type: `InboxDatabase<${databases}>` },
              ...(form.takesLock ? [{ name: 'lock', type: `OwnLock<${databases}>` }] : []),
              { name: 'options', hasQuestionToken: true, type: 'QueueOptions' },
            ],
            statements: [
              `super(database, ${names.spec}, options${form.takesLock ? ', lock' : ''});`,
            ],
          },
        ],
      },
    ],
  };
}

function importList(family: QueueFamily, statementSets: readonly StatementSet[]): string {
  const functions = [...builtinsOf(statementSets), ...carriersOf(family)];
  const form = formCode(family);
  const values = [form.queue, ...functions.sort()];
  const types = ['InboxDatabase', form.spec, 'QueueOptions', ...(form.takesLock ? ['OwnLock'] : [])]
    .sort()
    .map((name) => `type ${name}`);
  return `\n${[...values, ...types].map((name) => `${name},\n`).join('')}`;
}

function newRowStructures(
  { names, queues, properties }: QueueFamily,
  table: string,
  kinds: typeof StructureKind,
): readonly (StatementStructures | WriterFunction)[] {
  const docs = [`A row of ${table} to enqueue: the columns that the database does not fill.`];
  const given = properties.flatMap((property) =>
    property.given === undefined ? [] : [{ property, given: property.given }],
  );
  if (given.length === 0) {
    const type = 'Readonly<Record<string, never>>';
    return [
      { kind: kinds.TypeAlias, isExported: true, name: names.newRow, type, docs },
      (writer) => writer.newLine(),
    ];
  }
  const structure: InterfaceDeclarationStructure = {
    kind: kinds.Interface,
    isExported: true,
    name: names.newRow,
    docs,
    properties: given.map(({ property, given: how }) => ({
      name: propertyKey(property.name),
      isReadonly: true,
      hasQuestionToken: !how.required,
      type: newRowType(property, how),
      docs: [propertyDoc(property, queues)],
    })),
  };
  return [structure];
}

function keyType(family: QueueFamily): string {
  const key = keyProperties(family);
  const [only, second] = key;
  if (only !== undefined && second === undefined) return rowType(only);
  const members = key.map((property) => {
    return `readonly ${propertyKey(property.name)}: ${rowType(property)}`;
  });
  return `{ ${members.join('; ')} }`;
}

function rowDoc({ queues }: QueueFamily, table: string): string {
  const described = queues.find((queue) => queue.table.annotations.description.length > 0);
  return docOf(
    described?.table.annotations.description ?? [],
    `One row of ${table}, as a handler receives it.`,
  );
}

function propertyDoc(property: Property, queues: QueueFamily['queues']): string {
  const meaning = property.role === 'attempt' ? ': which delivery this is; the first is 1.' : '';
  const described = property.columns.find((column) => column.annotations.description.length > 0);
  return docOf(
    described?.annotations.description ?? [],
    `${declarationDoc(property, queues)}${meaning}`,
  );
}

/** A column's own DDL; where the dialects' differ, each with its dialect. */
function declarationDoc(property: Property, queues: QueueFamily['queues']): string {
  const codes = property.columns.map(({ ddl }) => docCode(ddl));
  const [first = ''] = codes;
  if (codes.every((code) => code === first)) return first;
  return codes.map((code, index) => `${code} (${queues[index]?.dialect})`).join(', ');
}

/** A JSDoc's text: what the author wrote, then what we know. On one line where there is only one. */
function docOf(description: readonly string[], known: string): string {
  if (description.length === 0) return known;
  return `\n${docText(description.join('\n'))}\n\n${known}`;
}
