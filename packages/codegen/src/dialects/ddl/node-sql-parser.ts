import { createRequire } from 'node:module';
import type { Opinion, OpinionColumn, OpinionParser } from './opinion.js';

/** The builds of node-sql-parser that are in our package. */
export type ParserBuild = 'mysql' | 'mariadb' | 'sqlite';

/** The type that a column's definition in the tree says, and as it is written. */
export type TypeOf = (definition: unknown) => OpinionColumn['type'];

/** node-sql-parser, by its builds for some databases: the first that can read a text is heard. */
export function nodeSqlParser(builds: readonly ParserBuild[], typeOf: TypeOf): OpinionParser {
  return {
    name: 'node-sql-parser',
    read(sql) {
      for (const [index, build] of builds.entries()) {
        try {
          const ast = load(build).astify(sql);
          const statement: unknown = Array.isArray(ast) ? ast[0] : ast;
          return opinionOf(statement, typeOf);
        } catch (error) {
          if (index === builds.length - 1) throw error;
        }
      }
      return undefined;
    },
  };
}

interface BuiltParser {
  astify(sql: string): unknown;
}

const loaded = new Map<ParserBuild, BuiltParser>();

/** Loads a build, a copy in our package, with the first annotated table that needs it. */
function load(build: ParserBuild): BuiltParser {
  const known = loaded.get(build);
  if (known !== undefined) return known;
  const require = createRequire(import.meta.url);
  const { Parser } = require(`../../../vendor/node-sql-parser/${build}.cjs`) as {
    readonly Parser: new () => BuiltParser;
  };
  const parser = new Parser();
  loaded.set(build, parser);
  return parser;
}

/**
 * What a tree of node-sql-parser says of a table. It has no types that are true of it, so every step
 * is looked at; `typeOf` makes a type of a column's definition, where it says one.
 */
function opinionOf(statement: unknown, typeOf: TypeOf): Opinion | undefined {
  const definitions = property(statement, 'create_definitions');
  if (!Array.isArray(definitions)) return undefined;
  const elements: readonly unknown[] = definitions;
  const columns = elements.filter((element) => property(element, 'resource') === 'column');
  const key = elements.find(
    (element) => String(property(element, 'constraint_type')).toLowerCase() === 'primary key',
  );
  const inline = columns.filter((column) => property(column, 'primary_key') !== undefined);
  return {
    columns: columns.map((column) => columnOf(column, typeOf)),
    primaryKey:
      key === undefined
        ? inline.map((column) => nameIn(property(column, 'column')))
        : keyColumns(property(key, 'definition')),
  };
}

function keyColumns(definition: unknown): readonly string[] {
  return Array.isArray(definition) ? definition.map(nameIn) : [];
}

function columnOf(column: unknown, typeOf: TypeOf): OpinionColumn {
  const type = typeOf(property(column, 'definition'));
  const nullable = property(property(column, 'nullable'), 'type');
  return {
    name: nameIn(property(column, 'column')),
    // A stray NULL behind NOT NULL makes the parser forget it.
    ...(nullable !== 'null' && { notNull: nullable === 'not null' }),
    ...(type !== undefined && { type }),
  };
}

/** A column's name, as text or in a reference around it. */
function nameIn(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  const column = property(reference, 'column') ?? property(property(reference, 'expr'), 'value');
  return column === undefined ? '' : nameIn(column);
}

/** A property of a piece of the tree; nothing where it has none, or null. */
export function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found === null ? undefined : found;
}
