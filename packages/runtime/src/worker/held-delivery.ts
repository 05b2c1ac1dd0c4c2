import { show } from '../errors/describe.js';
import { InboxError } from '../errors/inbox-error.js';
import { abortRow, isUndecided, signalOf } from '../forms/held.js';
import type { HoldRow } from '../forms/hold-row.js';
import type { HoldingForm } from '../forms/holding.js';
import { heard, settlementsOf, type HeldDelivery, type KeyedHeldDelivery } from './delivery.js';

/** What can still settle a row: all methods of its delivery reach it, and nothing else does. */
interface Owner {
  readonly held: HoldRow;
}

interface Abandonable {
  readonly form: HoldingForm;
  readonly held: HoldRow;
}

/** Gives back the rows whose deliveries have become garbage: nobody can settle them any more. */
const abandoned = new FinalizationRegistry<Abandonable>(({ form, held }) => {
  if (!isUndecided(held)) {
    form.forget(held);
    return;
  }
  const { queue, keyOf } = form.context;
  const id = keyOf(held.fence);
  abortRow(
    held,
    new InboxError(
      'already-settled',
      `Queue ${queue}, row ${show(id)}: its delivery was dropped without a settlement, so the row was given back. Settle each delivery, or write "await using".`,
      { queue, id },
    ),
  );
  form.settle(held, form.abandonedAs, null, () => {
    form.forget(held);
  });
});

/** A delivery over a row that was claimed by hand and is held by a session. */
export function heldDelivery<Row>(
  form: HoldingForm,
  held: HoldRow,
  row: Row,
  attempt: number | null,
): HeldDelivery<Row> {
  const owner: Owner = { held };
  const settlements = settlementsOf(form, held);
  abandoned.register(owner, { form, held }, owner);

  /** Keeps the owner alive until the row is settled. */
  function through(settling: Promise<void>): Promise<void> {
    const over = (): void => {
      form.forget(owner.held);
      abandoned.unregister(owner);
    };
    settling.then(over, over);
    return settling;
  }

  return {
    row,
    attempt,
    get signal() {
      return signalOf(held);
    },
    ack: () => through(settlements.settle('ack')),
    retry: () => through(settlements.settle('retry')),
    drop: (reason) => through(settlements.drop(reason)),
    release: () => through(settlements.settle('release')),
    [Symbol.asyncDispose]: () => through(heard(settlements.dispose())),
  };
}

/** The same in advisory form. */
export function keyedHeldDelivery<Row>(
  form: HoldingForm,
  held: HoldRow,
  row: Row,
  attempt: number | null,
): KeyedHeldDelivery<Row> {
  const delivery = heldDelivery(form, held, row, attempt);
  // Not spread: the signal is made when it is asked for.
  return Object.assign(delivery, { lockKey: held.hold.lockKey ?? '' });
}
