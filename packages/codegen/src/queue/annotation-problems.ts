import { annotationWord } from '../source/annotation-words.js';
import type { Annotation, AnnotationSet } from '../source/annotations.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Table } from '../table/table.js';
import { refuseArgument, refuseDuplicates } from './annotation-arguments.js';
import { roles } from './roles.js';

/**
 * What is wrong with a queue's annotations whatever their table holds: one that stands twice, one of
 * a later version, and a role with something behind it.
 */
export function annotationProblems({ annotations, columns }: Table): readonly Diagnostic[] {
  return [annotations, ...columns.map((column) => column.annotations)].flatMap((set) => [
    ...refuseDuplicates(withoutSql(set)),
    ...set.annotations.flatMap(problemOf),
  ]);
}

/** Those that may stand once for each dialect are looked at with the dialect. */
function withoutSql(set: AnnotationSet): AnnotationSet {
  return {
    ...set,
    annotations: set.annotations.filter(({ name }) => annotationWord(name)?.sql !== true),
  };
}

function problemOf(annotation: Annotation): readonly Diagnostic[] {
  const { name, span } = annotation;
  const word = annotationWord(name);
  if (word?.built === false) {
    return [
      {
        code: 'annotation-not-yet',
        severity: 'error',
        message: `@${name} is not in this version of inbox-gen`,
        span,
        help: 'take it away, or wait for the version that has it: docs/annotations.md says which',
      },
    ];
  }
  const bare = name === 'data' || roles.some((role) => role.name === name);
  return bare ? refuseArgument(annotation) : [];
}
