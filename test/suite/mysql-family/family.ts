import type { InboxDatabase } from 'inbox-runtime';

import type { Databases } from '../../databases/bench.js';
import type { FamilyBench, FamilyDatabase } from '../../databases/mysql-family.js';
import {
  HeldBigintMicrosecondsQueue,
  HeldBigintQueue,
  HeldBigintSecondsQueue,
  HeldDatetimeMillisecondsQueue,
  HeldDatetimeQueue,
  HeldDatetimeSecondsQueue,
  HeldTimestampUtcQueue,
  HeldTimestampUtcSecondsQueue,
} from '../../generated/index.js';
import { describeExpiries, type AnyQueue, type ExpiryTable } from '../expiries.js';
import { describeLease } from '../lease.js';
import { describeConnections } from './connections.js';
import { describeHeldRows } from './held-rows.js';
import { describeKeys } from './keys.js';
import { describeLoad } from './load.js';
import { describeLockKeys } from './lock-keys.js';
import { describeLocking } from './locking.js';
import { describeLocksTaken } from './locks-taken.js';
import { describeFamilyStarting } from './starting.js';
import { describeFamilyTypes } from './types.js';

/** A table that only MySQL and MariaDB have. */
function expiry(
  table: string,
  coarseness: number,
  Queue: new (database: FamilyDatabase) => AnyQueue,
): ExpiryTable {
  const queue = (database: InboxDatabase<Databases>): AnyQueue =>
    new Queue(database as FamilyDatabase);
  return { table, coarseness, queue };
}

/** The whole suite on a server of the family. */
export function describeFamily(bench: FamilyBench): void {
  describeLease(bench);
  describeExpiries(bench, [
    expiry('held_datetime', 0, HeldDatetimeQueue),
    expiry('held_datetime_milliseconds', 1, HeldDatetimeMillisecondsQueue),
    expiry('held_datetime_seconds', 1_000, HeldDatetimeSecondsQueue),
    expiry('held_timestamp_utc', 0, HeldTimestampUtcQueue),
    expiry('held_timestamp_utc_seconds', 1_000, HeldTimestampUtcSecondsQueue),
    expiry('held_bigint_microseconds', 0, HeldBigintMicrosecondsQueue),
    expiry('held_bigint', 1, HeldBigintQueue),
    expiry('held_bigint_seconds', 1_000, HeldBigintSecondsQueue),
  ]);
  describeLocking(bench);
  describeLocksTaken(bench);
  describeHeldRows(bench);
  describeLockKeys(bench);
  describeConnections(bench);
  describeKeys(bench);
  describeFamilyTypes(bench);
  describeFamilyStarting(bench);
  describeLoad(bench);
}
