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
  /**
   * `max`: how many clients there can be at once; 10 where it is not said. `maxUses`: how often one
   * is handed out.
   */
  readonly options?: { readonly max?: number | undefined; readonly maxUses?: number | undefined };
  /** How many wait for a client. */
  readonly waitingCount?: number;
}

/** A client that a pool handed out. */
export interface PgPoolClient extends PgClient {
  /** Back to the pool; with an error, the connection is ended instead. */
  release(error?: Error): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  /** The server's process for this session, as the server said it when the session began. */
  readonly processID?: number | null | undefined;
}

/** A connection: what `{ tx }` takes. */
export interface PgClient {
  query(query: PgQuery | string): Promise<PgResult>;
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
  /** How many rows were written. */
  readonly rowCount?: number | null;
  /** The command's tag: `COMMIT`. */
  readonly command?: string;
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

/** Whether a pool hands out no clients any more. */
export function isEnded(pool: PgPool): boolean {
  return 'ending' in pool && pool.ending === true;
}

/** How many clients `pg` lets a pool have where its owner does not say. */
const usualPoolSize = 10;

/** How many clients a pool can have at once. */
export function poolSizeOf(pool: PgPool): number {
  // A caller without types may have given anything at all.
  const max = (pool as PgPool | null | undefined)?.options?.max;
  return typeof max === 'number' && max >= 1 ? Math.floor(max) : usualPoolSize;
}
