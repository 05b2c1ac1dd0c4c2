import { messageOf, show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { requireMilliseconds } from '../errors/options.js';
import type { Extension } from '../forms/extend-lane.js';
import { isUndecided, signalOf } from '../forms/held.js';
import type { LeaseForm } from '../forms/lease.js';
import { unproveRow, type LeaseRow } from '../forms/lease-row.js';
import { heard, refusalOf, settlementsOf, type Delivery } from './delivery.js';
import { afterOf } from './handle.js';

/** The longest pause between two tries of an extension, in milliseconds. */
const longestPause = 250;

/** A delivery over a row that was claimed by hand for a lease. */
export function leaseDelivery<Row>(
  form: LeaseForm,
  held: LeaseRow,
  row: Row,
  attempt: number | null,
): Delivery<Row> {
  const settlements = settlementsOf(form, held);
  // One extension at a time: the next one needs the expiry that the last one wrote.
  let extending: Promise<unknown> | undefined;

  return {
    row,
    attempt,
    get signal() {
      watch(form, held);
      return signalOf(held);
    },
    ack: () => settlements.settle('ack'),
    retry: ({ after } = {}) => settlements.settle('retry', () => afterOf(after)),
    drop: (reason) => settlements.drop(reason),
    release: () => settlements.settle('release'),
    extend({ lease } = {}) {
      const next = async (): Promise<void> =>
        extend(
          form,
          held,
          lease === undefined ? held.lease : requireMilliseconds('lease', lease, 1),
        );
      const extension = heard(extending === undefined ? next() : extending.then(next, next));
      extending = extension;
      return extension;
    },
    [Symbol.asyncDispose]: () => settlements.dispose(),
  };
}

async function extend(form: LeaseForm, held: LeaseRow, lease: number): Promise<void> {
  const { clock } = form.context;
  for (let tries = 1; ; tries += 1) {
    const refusal = refusalOf(form, held);
    if (refusal !== undefined) throw refusal;
    const [extension, error] = await extendOnce(form, held, lease, tries > 1);
    if (extension === 'done') return;
    if (extension === 'lost') throw error;
    if (clock.monotonic() >= held.provedUntil) throw extendFailed(form, held, error);
    await new Promise<void>((resolve) => {
      clock.after(Math.min(5 * 2 ** tries, longestPause), resolve);
    });
  }
}

function extendOnce(
  form: LeaseForm,
  held: LeaseRow,
  lease: number,
  alone: boolean,
): Promise<[Extension, unknown]> {
  return new Promise((resolve) => {
    const verb = alone ? 'extendBusy' : 'extend';
    form.extending[verb](held, lease, (_, extension, error) => {
      resolve([extension, error]);
    });
  });
}

function extendFailed({ context }: LeaseForm, held: LeaseRow, cause: unknown): InboxError {
  const { queue } = context;
  const id = context.keyOf(held.fence);
  const why = cause === undefined ? 'somebody else has it locked' : messageOf(cause);
  return new InboxError(
    'extend-failed',
    `Queue ${queue}, row ${show(id)}: the lease could not be extended in time: ${why}. It can no longer be proved that the row is this delivery's.`,
    { queue, id, cause },
  );
}

/** Aborts the row's signal when its lease can no longer be proved; set once a signal is asked for. */
function watch(form: LeaseForm, held: LeaseRow): void {
  if (held.watch !== undefined || !isUndecided(held) || held.abortReason !== undefined) return;
  const { clock } = form.context;
  held.watch = clock.after(held.provedUntil - clock.monotonic(), () => {
    held.watch = undefined;
    if (!isUndecided(held)) return;
    if (clock.monotonic() >= held.provedUntil) unproveRow(form.context, held);
    else watch(form, held);
  });
  // A program that has nothing else to do must not stay for the end of a lease.
  held.watch.unref?.();
}
