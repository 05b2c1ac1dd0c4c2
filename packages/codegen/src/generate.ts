import { dialectNamed, dialects } from './dialects/index.js';
import { readTables } from './dialects/read-tables.js';
import { dialectsOf } from './dialects/recognise.js';
import { statementsOf } from './dialects/statements-of.js';
import type { ImportExtension } from './emit/import-extension.js';
import { byCodePoint } from './emit/code-point-order.js';
import { emitModules, type EmittedFile, type ModuleInput } from './emit/module.js';
import { version } from './emit/version.js';
import { familiesOf } from './queue/families.js';
import type { Queue, QueueFamily } from './queue/queue.js';
import { resolveQueue } from './queue/resolve.js';
import { strayFragments } from './queue/sql-fragment.js';
import type { Diagnostic } from './source/diagnostic.js';
import type { Source } from './source/source.js';
import type { DialectName } from './table/table.js';

/** How to generate. */
export interface GenerateOptions {
  /** The dialects of sources that do not name any themselves; without it they are recognised. */
  readonly dialects?: readonly DialectName[];
  /** What the barrel writes behind a module's name; `js` unless said. */
  readonly importExtension?: ImportExtension;
  /** How the header of a generated file names a source, given its path; as the path unless said. */
  readonly nameSource?: (path: string) => string;
}

/** What came of it. With an error among the diagnostics there are no files. */
export interface GenerateResult {
  /** The modules and their barrel, as they are to stand in the output folder. */
  readonly files: readonly EmittedFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Makes the modules of all annotated tables in some schema files: text in, text out. It reads and
 * writes nothing and knows no process; the same input gives the same bytes everywhere, whatever the
 * order of the sources. What is wrong with a schema is a diagnostic; an exception is a bug.
 */
export async function generate(
  sources: readonly Source[],
  options: GenerateOptions = {},
): Promise<GenerateResult> {
  const read = sources.map((source) => readSource(source, options.dialects ?? []));
  const queues = read.flatMap((source) => source.queues);
  const ordered = dialects.flatMap(({ name }) =>
    queues.filter(({ dialect }) => dialect === name).sort(bySource),
  );
  const families = familiesOf(ordered);
  const diagnostics = withoutTwins([
    ...read.flatMap((source) => source.diagnostics),
    ...families.diagnostics,
  ]);
  if (diagnostics.some(({ severity }) => severity === 'error')) return { files: [], diagnostics };
  const { nameSource = (path: string): string => path, importExtension = 'js' } = options;
  const modules = (families.value ?? []).map((family) => moduleOf(family, nameSource));
  return { files: await emitModules(modules, { version, importExtension }), diagnostics };
}

interface ReadSource {
  readonly queues: readonly Queue[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The queues of one source, in each of its dialects. */
function readSource(source: Source, asked: readonly DialectName[]): ReadSource {
  const { value: names, diagnostics: unclear } = dialectsOf(source, asked);
  const nul = source.text.indexOf('\0');
  if (nul !== -1) return { queues: [], diagnostics: [holdsNul(source, nul)] };
  if (names === undefined) return readUnclear(source, unclear);
  const read = names.map((name) => readTables(source, dialectNamed(name)));
  const tables = read.flatMap(({ value = [] }) => value);
  const resolved = tables.map((table) =>
    resolveQueue(table, dialectNamed(table.dialect).lexicalRules),
  );
  const diagnostics = [
    ...unclear,
    ...read.flatMap((result) => result.diagnostics),
    ...tables.flatMap((table) => strayFragments(table, names)),
    ...resolved.flatMap((result) => result.diagnostics),
  ];
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  return {
    queues: resolved.flatMap(({ value }) => value ?? []),
    diagnostics: tables.length > 0 || failed ? diagnostics : [...diagnostics, noQueue(source)],
  };
}

/**
 * A source whose dialect is not clear: that is no error where no dialect finds a queue in it. What
 * every dialect complains of is said with it, so that nobody has to ask twice.
 */
function readUnclear(source: Source, unclear: readonly Diagnostic[]): ReadSource {
  const [first, ...others] = dialects.map((dialect) => readTables(source, dialect));
  // A table that is annotated is either read or complained of.
  const found = [first, ...others].some(
    (result) =>
      (result?.value ?? []).length > 0 ||
      result?.diagnostics.some(({ severity }) => severity === 'error'),
  );
  const shared = (first?.diagnostics ?? []).filter((diagnostic) =>
    others.every((other) =>
      other.diagnostics.some((twin) => identity(twin) === identity(diagnostic)),
    ),
  );
  const unrecognised = unclear.every(({ code }) => code === 'dialect-unrecognised');
  if (unrecognised && !found) {
    return { queues: [], diagnostics: [noQueue(source)] };
  }
  return { queues: [], diagnostics: [...unclear, ...shared] };
}

function moduleOf(family: QueueFamily, nameSource: (path: string) => string): ModuleInput {
  const statements = family.queues.map(statementsOf);
  const paths = family.queues.map(({ table }) => nameSource(table.span.source.path));
  return { family, statements, sources: [...new Set(paths)] };
}

/** No server takes one, and a file of UTF-16 is full of them. */
function holdsNul(source: Source, at: number): Diagnostic {
  return {
    code: 'input-unreadable',
    severity: 'error',
    message: 'the file holds a NUL character, which no SQL text does',
    span: { source, start: at, end: at + 1 },
    help: 'save it as UTF-8',
  };
}

function noQueue(source: Source): Diagnostic {
  return {
    code: 'no-queue',
    severity: 'warning',
    message: 'no table in this file is a queue',
    span: { source, start: 0, end: 0 },
    help: 'write `-- @inbox lease` above a CREATE TABLE to make it one',
  };
}

function bySource(left: Queue, right: Queue): number {
  const [{ source: a, start }, { source: b, start: other }] = [left.table.span, right.table.span];
  return a.path === b.path ? start - other : byCodePoint(a.path, b.path);
}

/** What two dialects say of one place of a source is said once. */
function withoutTwins(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...new Map(diagnostics.map((each) => [identity(each), each])).values()];
}

function identity({ code, message, span }: Diagnostic): string {
  return JSON.stringify([code, message, span?.source.path, span?.start, span?.end]);
}
