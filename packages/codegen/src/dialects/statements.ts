/** One SQL text and the names of its values in order, as `inbox-runtime`'s `Statement`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

/**
 * A dialect's statements for one queue: all that `emit/` sees of a dialect. The order of the
 * entries is the order in the generated module; each has a comment that says what it does.
 */
export interface StatementSet {
  readonly entries: readonly {
    readonly name: string;
    readonly comment: string;
    readonly statement: Statement;
  }[];
}
