export { generate, type GenerateOptions, type GenerateResult } from './generate.js';
export type { ImportExtension } from './emit/import-extension.js';
export type { EmittedFile } from './emit/module.js';
export { diagnosticCodes } from './source/diagnostic.js';
export type { Diagnostic, DiagnosticCode, Severity } from './source/diagnostic.js';
export { positionAt, type Position, type Source, type Span } from './source/source.js';
export type { DialectName } from './table/table.js';
