import type { Annotation, AnnotationSet } from '../source/annotations.js';
import type { Diagnostic, Result } from '../source/diagnostic.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Span } from '../source/source.js';

/** What holds a row while its handler runs. */
export type FormName = 'row-lock' | 'lease' | 'advisory';

/** The form words, in the order in which messages list them. */
export const formNames: readonly FormName[] = ['row-lock', 'lease', 'advisory'];

/** What `@inbox [form] [Name]` says: its words and where they stand. */
export interface InboxArgument {
  readonly form?: FormName;
  readonly name?: { readonly text: string; readonly span: Span };
  readonly span: Span;
}

/** The first annotation of a name, or none. */
export function annotationNamed(set: AnnotationSet, name: string): Annotation | undefined {
  return set.annotations.find((annotation) => annotation.name === name);
}

/** Reads `@inbox`. A lower-case word close to a form word is taken for a misspelt form, not a name. */
export function readInbox(annotation: Annotation): Result<InboxArgument> {
  const { span } = annotation;
  const words = wordsOf(annotation);
  const [first, second, third] = words;
  if (third !== undefined) {
    return wrong('@inbox takes a form and a name, nothing more', third.span, inboxHelp);
  }
  if (first === undefined) return { value: { span }, diagnostics: [] };
  const form = formNames.find((candidate) => candidate === first.text);
  if (form !== undefined) {
    return { value: { form, span, ...(second && { name: second }) }, diagnostics: [] };
  }
  const meant = didYouMean(first.text, formNames);
  if (second !== undefined || (meant !== undefined && /^[a-z]/.test(first.text))) {
    const help = meant === undefined ? inboxHelp : `did you mean \`${meant}\`?`;
    return wrong(`"${first.text}" is no form`, first.span, help);
  }
  return { value: { name: first, span }, diagnostics: [] };
}

const inboxHelp =
  'write `@inbox`, `@inbox lease`, `@inbox Name` or `@inbox lease Name`; a description goes on a line of its own';

/** Reads an annotation whose argument is one word of a list; `otherwise` where it has none. */
export function readChoice<Word extends string>(
  annotation: Annotation,
  choices: readonly Word[],
  otherwise?: Word,
): Result<Word> {
  const { name, argument } = annotation;
  if (argument === '' && otherwise !== undefined) return { value: otherwise, diagnostics: [] };
  const choice = choices.find((candidate) => candidate === argument);
  if (choice !== undefined) return { value: choice, diagnostics: [] };
  const usual = `write ${choices.map((word) => `\`@${name} ${word}\``).join(', ')}`;
  if (argument === '') return wrong(`@${name} says nothing`, annotation.span, usual);
  const meant = didYouMean(argument, choices);
  return wrong(
    `@${name} does not take "${argument}"`,
    annotation.argumentSpan,
    meant === undefined ? usual : `did you mean \`@${name} ${meant}\`?`,
  );
}

/** Complains of an argument where an annotation takes none. */
export function refuseArgument(annotation: Annotation): readonly Diagnostic[] {
  if (annotation.argument === '') return [];
  return wrong(
    `@${annotation.name} takes nothing behind it`,
    annotation.argumentSpan,
    'put a description on a line of its own',
  ).diagnostics;
}

/** Complains of every annotation that stands twice at one place. */
export function refuseDuplicates({ annotations }: AnnotationSet): readonly Diagnostic[] {
  return annotations.flatMap((annotation, index): readonly Diagnostic[] => {
    const first = annotations.slice(0, index).find(({ name }) => name === annotation.name);
    if (first === undefined) return [];
    return [
      {
        code: 'annotation-duplicate',
        severity: 'error',
        message: `@${annotation.name} stands here twice`,
        span: annotation.span,
        help: 'keep one of them',
        related: { span: first.span, message: 'the first' },
      },
    ];
  });
}

function wordsOf({ argument, argumentSpan }: Annotation): readonly { text: string; span: Span }[] {
  return [...argument.matchAll(/\S+/g)].map((match) => {
    const start = argumentSpan.start + match.index;
    const text = match[0];
    return { text, span: { source: argumentSpan.source, start, end: start + text.length } };
  });
}

function wrong(message: string, span: Span, help: string): Result<never> {
  return {
    diagnostics: [{ code: 'annotation-argument', severity: 'error', message, span, help }],
  };
}
