import type { ConnectionBudget } from '../drivers/connection-budget.js';
import type { Hold, HoldStore } from '../drivers/hold-store.js';
import { messageOf, show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { abortRow, rowEvent, type FormContext, type Held } from './held.js';
import type { InWork } from './in-work.js';

/** What differs between the forms whose rows are held by a session. */
export interface HoldingKind {
  /** The code of what a delivery is told whose session has ended. */
  readonly lostCode: 'transaction-lost' | 'lock-lost';
  /** What holds the row, for messages. */
  readonly hold: string;
  /** Whether a settled row may let another one become due, whose key it shares. */
  readonly freesKeys: boolean;
  /**
   * How a delivery that was dropped undecided is given back, so that it counts as an attempt where its
   * claim has counted it: in advisory form a retry is the unlock alone.
   */
  readonly abandonedAs: 'retry' | 'release';
}

/** Row lock: the claim's transaction stays open, and its settlement commits it. */
export const rowLock: HoldingKind = {
  lostCode: 'transaction-lost',
  hold: 'the transaction that held it',
  freesKeys: false,
  abandonedAs: 'release',
};

/** Advisory: the session has locked the row's key. */
export const advisory: HoldingKind = {
  lostCode: 'lock-lost',
  hold: "the session's lock on its key",
  freesKeys: true,
  abandonedAs: 'retry',
};

/** What the parts of a holding form share about one table. */
export interface HoldContext extends FormContext<HoldRow> {
  readonly kind: HoldingKind;
  readonly store: HoldStore;
  /** The connections that rows in work may hold, over all queues of the database. */
  readonly connections: ConnectionBudget;
  readonly inWork: InWork;
}

/** A row that is held by a session. */
export interface HoldRow extends Held {
  readonly hold: Hold;
  /** A number that no other delivery of this process has. */
  readonly number: number;
  /** What a delivery is told whose row is lost. */
  lostWith: InboxError | undefined;
}

let deliveries = 0;

/** A row that was just claimed. */
export function holdRow(hold: Hold): HoldRow {
  deliveries += 1;
  return {
    fence: hold.cells,
    hold,
    number: deliveries,
    phase: 'held',
    abortReason: undefined,
    controller: undefined,
    as: 'ack',
    lostWith: undefined,
  };
}

/** Ends a row whose transaction or lock has ended: others may have it by now. */
export function loseHold(context: HoldContext, row: HoldRow, cause: unknown): InboxError {
  return lose(
    context,
    row,
    'ended',
    `${context.kind.hold} has ended (${messageOf(cause)}). Nothing was changed, and others may have the row by now. Stop the work; what it did may be done again. Look for a server that was restarted, an administrator, or a timeout of the server that is shorter than the handler.`,
    cause,
  );
}

/** Ends a row that was held to the last, and that the database has not written all the same. */
export function loseUnwritten(context: HoldContext, row: HoldRow, cause: unknown): InboxError {
  return lose(
    context,
    row,
    'taken',
    `${row.as} could not be written (${messageOf(cause)}), though ${context.kind.hold} had not ended: the row was changed or deleted elsewhere, or a trigger, a rule or a policy of the table keeps it from being written. Nothing was changed; if the row is still there, it comes again.`,
    cause,
  );
}

/** Says `transaction-lost` or `lock-lost` to the row's signal, to the events, and to whoever settles. */
function lose(
  context: HoldContext,
  row: HoldRow,
  why: 'ended' | 'taken',
  what: string,
  cause: unknown,
): InboxError {
  const { kind, queue, reporter } = context;
  const id = context.keyOf(row.fence);
  const message = `Queue ${queue}, row ${show(id)}: ${what}`;
  const error = new InboxError(kind.lostCode, message, { queue, id, cause });
  row.phase = 'lost';
  row.lostWith = error;
  abortRow(row, error);
  reporter.report({ kind: 'lost', ...rowEvent(context, row), why, error });
  return error;
}
