/** Where an annotation may stand. */
export type AnnotationPlace = 'file' | 'table' | 'column';

/** One word of the annotation language. */
export interface AnnotationWord {
  readonly word: string;
  readonly place: AnnotationPlace;
  /** It makes its table a queue. */
  readonly makesQueue: boolean;
  /** This version does what it says; the others are known, and refused by name. */
  readonly built: boolean;
  /**
   * Nobody else writes it: an error wherever it is attached to nothing. The others are words that
   * other tools' comments use too (`@name`, `@type`), so they count only in and above a queue.
   */
  readonly ours: boolean;
  /** Its argument is SQL of the author's, which may be for some dialects only: `@lock[mysql] …`. */
  readonly sql?: true;
}

/** Every annotation there is, in the order of `docs/annotations.md`. */
export const annotationWords: readonly AnnotationWord[] = [
  { word: 'inbox', place: 'table', makesQueue: true, built: true, ours: true },
  { word: 'advisory', place: 'table', makesQueue: true, built: true, ours: true },
  { word: 'lock', place: 'table', makesQueue: false, built: true, ours: false, sql: true },
  { word: 'unlock', place: 'table', makesQueue: false, built: true, ours: false, sql: true },
  { word: 'custom', place: 'table', makesQueue: false, built: true, ours: false },
  { word: 'where', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'claim', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'ack', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'retry', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'drop', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'dead', place: 'table', makesQueue: false, built: false, ours: false },
  { word: 'max_attempts', place: 'table', makesQueue: false, built: false, ours: true },
  { word: 'dead_letter', place: 'table', makesQueue: false, built: false, ours: true },
  { word: 'clock', place: 'table', makesQueue: false, built: true, ours: false },
  { word: 'dialect', place: 'file', makesQueue: false, built: true, ours: true },
  { word: 'id', place: 'column', makesQueue: false, built: true, ours: false },
  { word: 'group', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'partition_key', place: 'column', makesQueue: false, built: false, ours: true },
  { word: 'priority', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'retry_after', place: 'column', makesQueue: false, built: false, ours: true },
  { word: 'attempt', place: 'column', makesQueue: false, built: true, ours: false },
  { word: 'locked_until', place: 'column', makesQueue: false, built: true, ours: true },
  { word: 'processed_at', place: 'column', makesQueue: false, built: false, ours: true },
  { word: 'headers', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'payload', place: 'column', makesQueue: false, built: true, ours: false },
  { word: 'token', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'last_error', place: 'column', makesQueue: false, built: false, ours: true },
  { word: 'data', place: 'column', makesQueue: false, built: true, ours: false },
  { word: 'epoch', place: 'column', makesQueue: false, built: true, ours: false },
  { word: 'type', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'schema', place: 'column', makesQueue: false, built: false, ours: false },
  { word: 'name', place: 'column', makesQueue: false, built: false, ours: false },
];

/** The entry of a word, or none where it is no annotation. Words are lower case. */
export function annotationWord(word: string): AnnotationWord | undefined {
  return byWord.get(word);
}

const byWord: ReadonlyMap<string, AnnotationWord> = new Map(
  annotationWords.map((entry) => [entry.word, entry]),
);
