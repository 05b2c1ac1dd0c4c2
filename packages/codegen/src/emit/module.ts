import type { Project, SourceFile } from 'ts-morph';
import type { StatementSet } from '../dialects/statements.js';
import type { QueueFamily } from '../queue/queue.js';
import { barrelPath, barrelText } from './barrel.js';
import { checkSyntax } from './check.js';
import { barrelHeader, moduleHeader } from './header.js';
import type { ImportExtension } from './import-extension.js';
import { specLiteral } from './spec.js';
import { moduleStructure, type StructureWords } from './structures.js';

/** What one module is made of. */
export interface ModuleInput {
  readonly family: QueueFamily;
  /** The statements of each of the family's queues, in their order. */
  readonly statements: readonly StatementSet[];
  /** The schema files, as the header names them. */
  readonly sources: readonly string[];
}

/** A file to write: its name in the output folder, and its whole text. */
export interface EmittedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Prints the modules and the barrel, none of either where there is no module. Every file has been
 * parsed again: one that is no TypeScript is a bug of ours and throws, before anything is written.
 *
 * ts-morph takes a quarter of a second to load, so it is loaded here, when the input has passed.
 */
export async function emitModules(
  modules: readonly ModuleInput[],
  options: { readonly version: string; readonly importExtension: ImportExtension },
): Promise<readonly EmittedFile[]> {
  if (modules.length === 0) return [];
  const { IndentationText, NewLineKind, Project, QuoteKind, ts, ...words } =
    await import('ts-morph');
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: { noLib: true, noResolve: true, target: ts.ScriptTarget.ES2022, types: [] },
    manipulationSettings: {
      indentationText: IndentationText.TwoSpaces,
      newLineKind: NewLineKind.LineFeed,
      quoteKind: QuoteKind.Single,
    },
  });
  const files = modules.map((input) => printModule(project, input, words));
  const barrel = project.createSourceFile(
    `/${barrelPath}`,
    barrelHeader(options.version) +
      barrelText(
        modules.map(({ family }) => family.names),
        options.importExtension,
      ),
  );
  const all = [...files, barrel];
  checkSyntax(project, all);
  return all.map((file) => ({ path: file.getBaseName(), text: file.getFullText() }));
}

function printModule(project: Project, input: ModuleInput, words: StructureWords): SourceFile {
  const { family, statements, sources } = input;
  const file = project.createSourceFile(
    `/${family.names.file}.ts`,
    moduleStructure(family, statements, words),
  );
  const spec = file.getVariableDeclarationOrThrow(family.names.spec).getInitializerOrThrow();
  file.replaceText([spec.getStart(), spec.getEnd()], specLiteral(family, statements));
  file.insertText(0, moduleHeader(sources));
  return file;
}
