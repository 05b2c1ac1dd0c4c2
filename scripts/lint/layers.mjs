// @ts-check
import path from 'node:path';

/** @import { Rule } from 'eslint' */

/**
 * The order of imports inside one package.
 *
 * @typedef {object} Order
 * @property {string} root The package's source folder, relative to the repository.
 * @property {readonly string[]} layers The names of files (without ending) and folders in `root`,
 *   from left to right: a file imports from its own layer and from layers to its right.
 * @property {readonly string[]} [apart] Layers whose folders do not import each other.
 * @property {readonly Reserved[]} [reserved] Packages that only one layer may import.
 * @property {boolean} [selfContained] True where nothing but Node's own modules may be imported.
 */

/**
 * @typedef {object} Reserved
 * @property {string} packages A regular expression over the whole specifier.
 * @property {string} layer
 */

/**
 * Holds the order of imports of DESIGN's house rules: which layer of a package may import which,
 * and which layer alone may import a package. It reads specifiers, not files, so it also sees lazy
 * `import()`, types in `import('…')` and re-exports.
 *
 * @type {Rule.RuleModule}
 */
export const layersRule = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object' }],
    messages: {
      order:
        '"{{from}}" may not import from "{{to}}": in {{root}} imports go from left to right in {{order}}.',
      apart:
        'The folders of "{{layer}}" do not import each other: "{{from}}" may not use "{{to}}".',
      reserved: 'Only "{{layer}}/" in {{root}} imports "{{specifier}}".',
      selfContained:
        '{{root}} has no dependencies: describe the part of "{{specifier}}" that is used as a type instead.',
      noLayer: '"{{from}}" is no layer of {{root}}: its files and folders are {{order}}.',
    },
  },
  create(context) {
    const order = /** @type {Order} */ (context.options[0]);
    const source = path.join(context.cwd, order.root);
    const own = place(source, context.filename);
    const named = { root: order.root, order: order.layers.join(' → '), from: own.layer };

    /**
     * @param {Rule.Node} node
     * @param {unknown} specifier
     */
    const check = (node, specifier) => {
      if (typeof specifier !== 'string') {
        return;
      }
      if (!specifier.startsWith('.')) {
        for (const reserved of order.reserved ?? []) {
          if (new RegExp(reserved.packages).test(specifier) && own.layer !== reserved.layer) {
            const data = { ...named, layer: reserved.layer, specifier };
            context.report({ node, messageId: 'reserved', data });
          }
        }
        if (order.selfContained === true && !specifier.startsWith('node:')) {
          context.report({ node, messageId: 'selfContained', data: { ...named, specifier } });
        }
        return;
      }
      const target = place(source, path.resolve(path.dirname(context.filename), specifier));
      const to = order.layers.indexOf(target.layer);
      if (to !== -1 && to < order.layers.indexOf(own.layer)) {
        context.report({ node, messageId: 'order', data: { ...named, to: target.layer } });
      }
      if (
        own.layer === target.layer &&
        order.apart?.includes(own.layer) === true &&
        own.folder !== null &&
        target.folder !== null &&
        own.folder !== target.folder
      ) {
        const data = { layer: own.layer, from: own.folder, to: target.folder };
        context.report({ node, messageId: 'apart', data });
      }
    };

    return {
      Program(node) {
        if (!order.layers.includes(own.layer)) {
          context.report({ node, messageId: 'noLayer', data: named });
        }
      },
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, literal(node.source)),
      TSImportType: (/** @type {Rule.Node} */ node) => check(node, typeSource(node)),
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'require') {
          check(node, literal(node.arguments[0]));
        }
      },
    };
  },
};

/**
 * Where a file stands: the first part of its path below the source folder, without an ending, and
 * the folder below that, if the file is in one.
 *
 * @param {string} source
 * @param {string} file
 * @returns {{ layer: string, folder: string | null }}
 */
function place(source, file) {
  const [first = '', second, third] = path.relative(source, file).split(path.sep);
  return {
    layer: first.replace(/\.[cm]?[jt]s$/, ''),
    folder: second !== undefined && third !== undefined ? second : null,
  };
}

/**
 * @param {unknown} node
 * @returns {unknown}
 */
function literal(node) {
  return typeof node === 'object' && node !== null && 'value' in node ? node.value : undefined;
}

/**
 * The specifier of `import('…').Type`, whose node has had two shapes.
 *
 * @param {object} node
 * @returns {unknown}
 */
function typeSource(node) {
  if ('source' in node) {
    return literal(node.source);
  }
  return 'argument' in node && typeof node.argument === 'object' && node.argument !== null
    ? literal('literal' in node.argument ? node.argument.literal : undefined)
    : undefined;
}
