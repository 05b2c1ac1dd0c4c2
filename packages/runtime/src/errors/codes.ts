/**
 * Every code that an error of the runtime can carry, in alphabetical order. `docs/errors.md` says
 * what each means and what to do. A code, once published, keeps its meaning.
 */
export const runtimeErrorCodes = [
  'already-settled',
  'bad-option',
  'claim-failed',
  'column-missing',
  'connection-limit',
  'database-busy',
  'database-closed',
  'database-unreachable',
  'decode-failed',
  'encode-failed',
  'enqueue-failed',
  'extend-failed',
  'lease-lost',
  'lock-lost',
  'own-lock-failed',
  'pooler-unsupported',
  'server-too-old',
  'settle-busy',
  'settle-failed',
  'statement-refused',
  'table-missing',
  'transaction-lost',
  'worker-stopped',
  'wrong-database',
  'wrong-transaction',
] as const;

/** One of `runtimeErrorCodes`. */
export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];
