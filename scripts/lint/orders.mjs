// @ts-check

/** @import { Order } from './layers.mjs' */

/**
 * The generator: each arrow of the pipeline is a folder, and data flows one way.
 *
 * @type {Order}
 */
export const codegenOrder = {
  root: 'packages/codegen/src',
  layers: ['cli', 'index', 'generate', 'emit', 'dialects', 'queue', 'table', 'source'],
  reserved: [
    { packages: '^(pgsql-ast-parser|node-sql-parser)(/|$)', layer: 'dialects' },
    { packages: '^ts-morph$', layer: 'emit' },
    { packages: '^(node:)?fs(/|$)', layer: 'cli' },
  ],
};

/**
 * The runtime: what generated modules name is on the left, what everything stands on at the right.
 *
 * @type {Order}
 */
export const runtimeOrder = {
  root: 'packages/runtime/src',
  layers: [
    ...['v1', 'index', 'worker', 'forms', 'drivers', 'cells', 'spec', 'statement'],
    ...['errors', 'clock', 'duration'],
  ],
  apart: ['drivers'],
  selfContained: true,
};
