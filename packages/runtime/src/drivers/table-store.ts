import type { Cell } from '../statement.js';

/** A setting of the server that ends sessions or statements, found when a queue was checked. */
export interface ServerLimit {
  /** The setting's name: `idle_in_transaction_session_timeout`. */
  readonly setting: string;
  readonly milliseconds: number;
  /** What happens to a handler that runs longer, and what to do about it. One or two sentences. */
  readonly consequence: string;
}

/** What the stores of all forms can do: check a table, and add rows to it. */
export interface TableStore {
  /**
   * Checks server, version, table and statements. Rejects with one `InboxError` that says what is
   * wrong. Answers the server's settings that a long handler would run into.
   */
  check(): Promise<readonly ServerLimit[]>;
  /** True where a caller's transaction is a synchronous function, which must see errors at once. */
  readonly synchronousTx: boolean;
  /** Inserts rows, all or none, and answers their keys' cells in the order given. */
  insert(rows: readonly (readonly Cell[])[]): Promise<readonly (readonly Cell[])[]>;
  /**
   * Inserts rows inside the caller's own transaction; the statement is sent before this returns.
   * Where `synchronousTx`, the answer is no promise, and an error is thrown instead of rejected.
   */
  insertInto(
    tx: unknown,
    rows: readonly (readonly Cell[])[],
  ): Promise<readonly (readonly Cell[])[]> | readonly (readonly Cell[])[];
}
