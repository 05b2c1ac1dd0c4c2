/** One SQL text and the names of its values in order, as `inbox-runtime`'s `Statement`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

/**
 * A statement with one list in it that grows with the number of rows, as `inbox-runtime`'s
 * `ListStatement`: `before`, then `item` once a row joined by `separator`, then `after`.
 */
export interface ListStatement {
  readonly before: string;
  readonly item: string;
  readonly separator: string;
  readonly after: string;
  /** The values before the list. */
  readonly values: readonly string[];
  /** The values of one item; those of all rows follow `values`. */
  readonly each: readonly string[];
  /**
   * For an insert that cannot answer the keys of its rows: where each column of the key is known
   * from, a cell of the row (`column1`) or the number that the database gave (`generated`).
   */
  readonly key?: readonly string[];
}

/**
 * A dialect's statements for one queue: all that `emit/` sees of a dialect. The order of the
 * entries is the order in the generated module; each has a comment that says what it does.
 */
export interface StatementSet {
  readonly entries: readonly {
    readonly name: string;
    readonly comment: string;
    readonly statement: Statement | ListStatement;
  }[];
}
