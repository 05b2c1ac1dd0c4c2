import { annotationWord, annotationWords } from './annotation-words.js';
import { readComments, type Annotation } from './annotations.js';
import type { Diagnostic } from './diagnostic.js';
import { didYouMean } from './did-you-mean.js';
import type { Token } from './token.js';

/** Why comments are attached to nothing, and what to do about it. */
export interface StrayReason {
  /** Follows "@inbox is attached to nothing: ". */
  readonly why: string;
  readonly help: string;
}

/**
 * Complains of annotations in comments that are attached to nothing, since a lost annotation would
 * be a silent bug. Outside of a queue only the words that nobody else writes count, and what is
 * close to one of them: other tools have `@name` and `@type` too.
 */
export function strayAnnotations(
  comments: readonly Token[],
  reason: StrayReason,
  within: 'queue' | 'elsewhere',
): readonly Diagnostic[] {
  const { annotations, unknown } = readComments(comments);
  const stray = annotations.filter(
    ({ name }) => within === 'queue' || annotationWord(name)?.ours === true,
  );
  return [
    ...stray.map((annotation) => danglingAnnotation(annotation, reason)),
    ...unknownAnnotations(unknown, within),
  ];
}

/** `annotation-dangling` for one annotation. */
export function danglingAnnotation(annotation: Annotation, { why, help }: StrayReason): Diagnostic {
  return {
    code: 'annotation-dangling',
    severity: 'error',
    message: `@${annotation.name} is attached to nothing: ${why}`,
    span: annotation.span,
    help,
  };
}

/** `annotation-unknown` for words behind an `@` that mean nothing, or for those close to ours. */
export function unknownAnnotations(
  unknown: readonly Annotation[],
  within: 'queue' | 'elsewhere',
): readonly Diagnostic[] {
  const candidates = annotationWords
    .filter(({ ours }) => ours || within === 'queue')
    .map(({ word }) => word);
  return unknown.flatMap((annotation): readonly Diagnostic[] => {
    const meant = didYouMean(annotation.name.replaceAll('-', '_'), candidates);
    if (meant === undefined && within === 'elsewhere') return [];
    return [
      {
        code: 'annotation-unknown',
        severity: 'error',
        message: `@${annotation.name} is no annotation`,
        span: annotation.span,
        help:
          meant === undefined
            ? 'take the @ away if it is meant as text; docs/annotations.md lists the annotations'
            : `did you mean \`@${meant}\`?`,
      },
    ];
  });
}
