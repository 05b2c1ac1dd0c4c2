/** How a line comment begins. */
export interface LineCommentRule {
  readonly opener: string;
  /** White space or the line's end must follow: MySQL's `-- `. */
  readonly blankAfter: boolean;
  /** Only the first thing on a line. */
  readonly lineStart: boolean;
}

/** How a string or a quoted name is written. */
export interface QuoteRule {
  readonly kind: 'string' | 'name';
  /** Every way to open it, its prefix included: `E'`, `e'`. */
  readonly openers: readonly string[];
  readonly closer: string;
  /**
   * How the closer stands inside. `doubled`: twice. `backslash`: twice or behind a backslash, which
   * also begins the C escapes. `unicode`: doubled, with `\0041` escapes (`U&''`). `none`: not at all.
   */
  readonly escapes: 'doubled' | 'backslash' | 'unicode' | 'none';
}

/**
 * Whether a server runs what stands in a comment that begins so, with a version of five or six
 * digits behind it (0 where there is none). What it does not run is for another server.
 */
export type CodeRule = (opener: '/*!' | '/*M!', version: number) => boolean;

/**
 * How a dialect's text falls into tokens and statements: all that `source/` knows of a database.
 * Rules of the four databases: their manuals' chapters on lexical structure, and their shells'.
 */
export interface LexicalRules {
  readonly lineComments: readonly LineCommentRule[];
  readonly blockComments: {
    readonly nest: boolean;
    /** The end of the file closes one, and that is no mistake. */
    readonly endOfFileCloses: boolean;
    /**
     * What stands in one that begins with `!` (or `M!`) is code, unless it is for server 999999: of
     * those that a rule picks, or of all.
     */
    readonly code: boolean | CodeRule;
  };
  readonly quotes: readonly QuoteRule[];
  /** `$tag$ … $tag$` is a string. */
  readonly dollarQuotes: boolean;
  readonly bareNames: {
    readonly fold: 'lower' | 'as-written';
    /** `2fa_codes` is a name. */
    readonly digitFirst: boolean;
  };
  readonly client: {
    /** A backslash outside of quotes begins a command that runs to the line's end. */
    readonly backslash: boolean;
    /** A dot that begins a line between two statements does. */
    readonly dot: boolean;
    /** `DELIMITER x` on a line between two statements sets what ends a statement. */
    readonly delimiter: boolean;
    /** `COPY … FROM stdin;` is followed by data up to a line `\.`. */
    readonly copyData: boolean;
  };
  readonly bodies: {
    /** What a CREATE makes whose body may hold statements: `TRIGGER`, `FUNCTION`. */
    readonly of: readonly string[];
    /** The words that begin such a body; `END` ends it. */
    readonly opener: readonly string[];
    /** What a CREATE makes that may hold statements in parentheses: `RULE`. */
    readonly parenthesised: readonly string[];
  };
}
