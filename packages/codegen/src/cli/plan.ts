import type { EmittedFile } from '../emit/module.js';
import { byCodePoint } from '../emit/code-point-order.js';
import { marker } from '../emit/header.js';

/** A file that stands in the output folder now. `text` is absent where it is no readable file. */
export interface PresentFile {
  readonly path: string;
  readonly text?: string;
}

/** What is to be done with one file of the output folder. */
export type Step =
  | { readonly kind: 'create'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly text: string;
      readonly present: string;
    }
  | { readonly kind: 'keep'; readonly path: string }
  /** Ours, and no longer wanted. */
  | { readonly kind: 'remove'; readonly path: string; readonly present: string }
  /** In the way, and not ours: never touched. */
  | { readonly kind: 'foreign'; readonly path: string };

/**
 * What turns a folder into what is wanted, sorted by file name. A file is ours if its first line
 * begins with our marker; ours that are not wanted go, others that are in the way are `foreign`.
 * Where nothing at all is wanted nothing goes: an empty input is sooner a mistake than a wish.
 */
export function planOutput(
  wanted: readonly EmittedFile[],
  present: readonly PresentFile[],
): readonly Step[] {
  const steps = wanted.map((file) => stepFor(file, present));
  if (wanted.length === 0) return [];
  const orphans = present.flatMap(({ path, text }): readonly Step[] => {
    if (!path.endsWith('.ts') || text === undefined || !isOurs(text)) return [];
    if (wanted.some((file) => file.path === path)) return [];
    return [{ kind: 'remove', path, present: text }];
  });
  return [...steps, ...orphans].sort((left, right) => byCodePoint(left.path, right.path));
}

function stepFor({ path, text }: EmittedFile, present: readonly PresentFile[]): Step {
  const found = present.find((file) => file.path === path) ?? alike(path, present);
  if (found === undefined) return { kind: 'create', path, text };
  if (found.text === undefined || !isOurs(found.text)) return { kind: 'foreign', path: found.path };
  if (found.path !== path) return { kind: 'create', path, text };
  if (found.text === text) return { kind: 'keep', path };
  return { kind: 'update', path, text, present: found.text };
}

/** A file that is the same one on a disk that does not tell upper from lower case. */
function alike(path: string, present: readonly PresentFile[]): PresentFile | undefined {
  return present.find((file) => file.path.toLowerCase() === path.toLowerCase());
}

function isOurs(text: string): boolean {
  return text.startsWith(marker);
}
