/**
 * The part of `pg` that the adapter uses, described by its shape so that the driver is neither a
 * dependency nor bound to one version. `pg.Pool` and `pg.Client` fit.
 */
export interface PgPool {
  /**
   * With a callback, because it runs before anything else can happen to the client: a session that
   * ends just then emits an error, which must find a listener. A promise that is answered instead
   * is taken too.
   */
  connect(callback: (error: Error | undefined, client?: PgPoolClient) => void): unknown;
  on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A client that a pool handed out. */
export interface PgPoolClient extends PgClient {
  /** Back to the pool; with an error, the connection is ended instead. */
  release(error?: Error): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** A connection: what `{ tx }` takes. */
export interface PgClient {
  query(query: PgQuery): Promise<PgResult>;
}

/** One query: values bound as text, rows as arrays of cells, no type parser of the user's. */
export interface PgQuery {
  readonly text: string;
  readonly values?: (string | null)[];
  /** The name of the prepared statement, where statements may be prepared. */
  readonly name?: string;
  readonly rowMode: 'array';
  readonly types: PgTypes;
}

/** Stands in for `pg.types` in one query. */
export interface PgTypes {
  getTypeParser(oid: number, format?: string): (value: never) => unknown;
}

/** What a query answers. */
export interface PgResult {
  readonly rows: unknown[];
}

/** A row as the adapter's queries answer it: every selected expression is text in the SQL. */
export type PgRow = readonly (string | null)[];

/** Every cell stays the text that the server sent (also where a client asks for binary results). */
export const textOnly: PgTypes = {
  getTypeParser: () => asText,
};

function asText(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8');
}

/** A plain query without values, whose rows are arrays of text. */
export function plainQuery(text: string): PgQuery {
  return { text, rowMode: 'array', types: textOnly };
}
