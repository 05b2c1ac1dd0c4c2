/**
 * What an error of MySQL or MariaDB, or of the connection, means for the one who sent the statement.
 *
 * - `again`: the statement gave way to another transaction and may simply be sent again.
 * - `connection`: nobody answered, or the server ended the session. Whether the statement took
 *   effect is unknown.
 * - `transient`: the server could not serve just now; nothing was changed.
 * - `statement`: the statement itself was refused; it will be again.
 */
export type MysqlFailureKind = 'again' | 'connection' | 'transient' | 'statement';

const again = new Set([
  1205, // Lock wait timeout.
  1213, // Deadlock.
  1020, // The record has changed (MariaDB's snapshot isolation).
  1412, // The table was altered since the transaction began.
  1568, // Somebody left a transaction open on this connection; it is rolled back before the next try.
  1615, // The prepared statement must be prepared anew.
]);
const connection = new Set([
  1040, // Too many connections.
  1053, // The server is shutting down.
  1152, // Aborted connection.
  1158, // Network errors.
  1159,
  1160,
  1161,
  1203, // Too many connections of this user.
  1226,
  1927, // The connection was killed (MariaDB).
  4031, // The server ended an idle session.
]);
const transient = new Set([
  1021, // Disk full.
  1037, // Out of memory.
  1041,
  1114, // Table full.
  1206, // The lock table is full.
  1290, // Read-only while a failover lasts.
  1792,
  1836,
  1317, // Cancelled by KILL QUERY or a time limit.
  1969,
  3024,
  1461, // Too many prepared statements.
]);

/** The kind of an error that a query threw. An error that is not the server's is the connection's. */
export function failureKind(error: unknown): MysqlFailureKind {
  const number = errorNumber(error);
  if (number === undefined || connection.has(number)) return 'connection';
  if (again.has(number)) return 'again';
  return transient.has(number) ? 'transient' : 'statement';
}

/** The server's number of an error, where the server sent it. The system's own are negative. */
export function errorNumber(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined;
  const { errno } = error;
  return typeof errno === 'number' && errno >= 1000 ? errno : undefined;
}
