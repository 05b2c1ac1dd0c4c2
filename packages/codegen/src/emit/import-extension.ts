/** What stands behind a module's name where it is imported: `.js`, `.ts` or nothing. */
export type ImportExtension = 'js' | 'ts' | 'none';

/** The words of `ImportExtension`, the usual one first. */
export const importExtensions: readonly ImportExtension[] = ['js', 'ts', 'none'];
