import type { Project, SourceFile } from 'ts-morph';

/**
 * Parses what was printed. Throws if a file is no TypeScript: whatever the schema holds, that is a
 * bug of the generator, and nothing may be written.
 */
export function checkSyntax(project: Project, files: readonly SourceFile[]): void {
  const program = project.getProgram();
  for (const file of files) {
    const [problem] = program.getSyntacticDiagnostics(file);
    if (problem === undefined) continue;
    const message = problem.getMessageText();
    const text = typeof message === 'string' ? message : message.getMessageText();
    throw new Error(`${file.getBaseName()}:${problem.getLineNumber()} does not parse: ${text}`);
  }
}
