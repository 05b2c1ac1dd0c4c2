import type { RuntimeErrorCode } from './codes.js';

/** Where an error happened: the queue's name, the row's key, and the error underneath. */
export interface InboxErrorContext {
  readonly queue?: string | undefined;
  readonly id?: unknown;
  readonly cause?: unknown;
}

/**
 * What every failure of the runtime is thrown or rejected as. `code` is for programs, the message
 * says what happened, to which queue and row, and what to do; `cause` is the driver's own error
 * where there is one.
 */
export class InboxError extends Error {
  override readonly name: string = 'InboxError';
  readonly code: RuntimeErrorCode;
  /** The queue's name, where the error belongs to one. */
  readonly queue: string | undefined;
  /** The row's key, where the error belongs to one row. */
  readonly id: unknown;

  constructor(code: RuntimeErrorCode, message: string, context: InboxErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.queue = context.queue;
    this.id = context.id;
  }
}

/**
 * The row is no longer this delivery's: its lease ended and somebody claimed it again, it was
 * settled or deleted elsewhere, or (as the reason of an aborted `signal`) ownership can no longer
 * be proved. A settlement that rejects with it has changed nothing.
 */
export class LeaseLostError extends InboxError {
  override readonly name = 'LeaseLostError';

  constructor(message: string, context: InboxErrorContext = {}) {
    super('lease-lost', message, context);
  }
}

/** A cell of a row does not hold what the DDL says of its column. Thrown by the readers. */
export class DecodeError extends InboxError {
  override readonly name = 'DecodeError';
  readonly column: string;

  constructor(column: string, message: string, context: InboxErrorContext = {}) {
    super('decode-failed', message, context);
    this.column = column;
  }
}

/** A value of a new row cannot be written into its column. Thrown by the writers. */
export class EncodeError extends InboxError {
  override readonly name = 'EncodeError';
  readonly column: string;

  constructor(column: string, message: string, context: InboxErrorContext = {}) {
    super('encode-failed', message, context);
    this.column = column;
  }
}
