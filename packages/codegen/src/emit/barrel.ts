import { exportedNames } from '../queue/names.js';
import type { QueueNames } from '../queue/queue.js';
import { byCodePoint } from './code-point-order.js';
import type { ImportExtension } from './import-extension.js';
import { stringLiteral } from './names.js';

/** The barrel's file name, which no module has. */
export const barrelPath = 'index.ts';

/** The barrel behind its header: what each module exports, a line a module, sorted by file name. */
export function barrelText(modules: readonly QueueNames[], extension: ImportExtension): string {
  const suffix = extension === 'none' ? '' : `.${extension}`;
  return [...modules]
    .sort((left, right) => byCodePoint(left.file, right.file))
    .map((names) => {
      const [queue, spec, ...types] = exportedNames(names);
      const exports = [queue, spec, ...types.sort(byCodePoint).map((type) => `type ${type}`)];
      return `export { ${exports.join(', ')} } from ${stringLiteral(`./${names.file}${suffix}`)};\n`;
    })
    .join('');
}
