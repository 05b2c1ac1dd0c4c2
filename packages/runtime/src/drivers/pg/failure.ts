/**
 * What an error of Postgres or of its connection means for the one who sent the statement.
 *
 * - `again`: the statement gave way to another transaction and may simply be sent again.
 * - `connection`: nobody answered, or the server ended the session. Whether the statement took
 *   effect is unknown.
 * - `unprepared`: the session does not have the named statement that the driver believes it has: a
 *   pooler hands out server sessions by the transaction. Nothing was executed.
 * - `transient`: the server could not serve just now; nothing was changed.
 * - `statement`: the statement itself was refused; it will be again.
 */
export type PgFailureKind = 'again' | 'connection' | 'unprepared' | 'transient' | 'statement';

/** Serialization failure, deadlock, lock not available. */
const again = new Set(['40001', '40P01', '55P03']);
/** The server is shutting down, restarting, or ended the session. */
const connection = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '25P04']);
/** The prepared statement does not exist, or exists already. */
const unprepared = new Set(['26000', '42P05']);
/** Cancelled by a timeout; read-only while a failover lasts. */
const transient = new Set(['57014', '25006']);

/** The kind of an error that a query threw. An error without an SQLSTATE is the connection's. */
export function failureKind(error: unknown): PgFailureKind {
  const state = sqlState(error);
  if (state === undefined || state.startsWith('08') || connection.has(state)) return 'connection';
  if (again.has(state)) return 'again';
  if (unprepared.has(state)) return 'unprepared';
  // 53: insufficient resources, which includes a full disk and too many connections.
  if (transient.has(state) || state.startsWith('53')) return 'transient';
  return 'statement';
}

/** The SQLSTATE of an error, where it has one. Node's own codes (`ECONNRESET`) are none. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code)
    ? code
    : undefined;
}
