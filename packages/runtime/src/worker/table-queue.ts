import { systemClock } from '../clock/clock.js';
import type { InboxDatabase } from '../drivers/database.js';
import type { TableStore } from '../drivers/table-store.js';
import { messageOf, show } from '../errors/describe.js';
import { DecodeError, EncodeError, InboxError } from '../errors/inbox-error.js';
import { reporterOf, type EventListener } from '../forms/events.js';
import type { FormContext, Held } from '../forms/held.js';
import { wakesOf } from '../forms/wakes.js';
import type { TableSpec } from '../spec.js';
import type { Cell } from '../statement.js';
import { pollOf, type QueueOptions } from './options.js';

/** What the queues of all forms do alike with their table. */
export interface TableQueue<Row, NewRow, Key> {
  /** What a form of the table needs to know, but for what only that form has. */
  context(on: EventListener | undefined): Omit<FormContext<Held>, 'heldOf'>;
  check(): Promise<void>;
  enqueue(row: NewRow, tx: unknown): Promise<Key>;
  enqueueMany(rows: readonly NewRow[], tx: unknown): Promise<readonly Key[]>;
  /** A claimed row's cells as the handler's arguments. Throws a `DecodeError`. */
  decode(cells: readonly Cell[]): { readonly row: Row; readonly attempt: number | null };
  /** What a claim by hand rejects with. */
  claimFailed(cause: unknown): InboxError;
}

/** A queue over a store. Throws `bad-option` for a poll that is none. */
export function tableQueue<Row, NewRow, Key>(
  database: InboxDatabase,
  spec: TableSpec<Row, NewRow, Key>,
  store: TableStore,
  options: QueueOptions,
): TableQueue<Row, NewRow, Key> {
  const { queue, keyWidth } = spec;
  const wakes = wakesOf(database, spec.table);
  pollOf(options);

  function decode(cells: readonly Cell[]): { readonly row: Row; readonly attempt: number | null } {
    try {
      return { row: spec.decode(cells), attempt: spec.decodeAttempt(cells) };
    } catch (cause) {
      const id: unknown = orElse(() => spec.decodeKey(cells), undefined);
      const column = cause instanceof DecodeError ? cause.column : '';
      const message = `Queue ${queue}, row ${show(id)}: the row cannot be decoded: ${messageOf(cause)}. Mend the row, or change the DDL and run inbox-gen again.`;
      throw new DecodeError(column, message, { queue, id, cause });
    }
  }

  function insert<Result>(
    rows: readonly NewRow[],
    tx: unknown,
    answer: (keys: readonly Key[]) => Result,
  ): Promise<Result> {
    const finish = (keys: readonly (readonly Cell[])[]): Result => answer(keys.map(spec.decodeKey));
    const failed = (cause: unknown): never => {
      throw failure(queue, 'enqueue-failed', 'the rows could not be added', cause);
    };
    let cells: (readonly Cell[])[];
    try {
      cells = rows.map(spec.encode);
    } catch (cause) {
      const column = cause instanceof EncodeError ? cause.column : '';
      const message = `Queue ${queue}: ${messageOf(cause)}. Nothing was added.`;
      const error = new EncodeError(column, message, { queue, cause });
      if (tx !== undefined && store.synchronousTx) throw error;
      return Promise.reject(error);
    }
    if (tx === undefined) {
      return store.insert(cells).then((keys) => {
        wakes.wake();
        return finish(keys);
      }, failed);
    }
    let written;
    try {
      written = store.insertInto(tx, cells);
    } catch (cause) {
      return failed(cause);
    }
    if (written instanceof Promise) return written.then(finish, failed);
    setImmediate(() => {
      wakes.wake();
    });
    return Promise.resolve(finish(written));
  }

  return {
    context: (on) => ({
      queue,
      clock: options.clock ?? systemClock,
      reporter: reporterOf(options.on, on),
      wakes,
      keyOf: (fence) =>
        orElse<unknown, unknown>(() => spec.decodeKey(fence), fence.slice(0, keyWidth)),
      attemptOf: (fence) => orElse(() => spec.decodeAttempt(fence), null),
    }),
    check: () => store.check().then(() => undefined),
    enqueue: (row, tx) => insert([row], tx, ([key]) => key as Key),
    enqueueMany: (rows, tx) =>
      rows.length === 0 ? Promise.resolve([]) : insert(rows, tx, (keys) => keys),
    decode,
    claimFailed: (cause) => failure(queue, 'claim-failed', 'a claim failed', cause),
  };
}

function failure(
  queue: string,
  code: 'claim-failed' | 'enqueue-failed',
  what: string,
  cause: unknown,
): InboxError {
  if (cause instanceof InboxError && cause.queue !== undefined) return cause;
  return new InboxError(
    cause instanceof InboxError ? cause.code : code,
    `Queue ${queue}: ${what}: ${messageOf(cause)}.`,
    { queue, cause },
  );
}

function orElse<Value, Other>(read: () => Value, other: Other): Value | Other {
  try {
    return read();
  } catch {
    return other;
  }
}
