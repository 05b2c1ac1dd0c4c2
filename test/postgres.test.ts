import type { InboxDatabase } from 'inbox-runtime';

import type { Databases } from './databases/bench.js';
import { postgresBench } from './databases/postgres.js';
import {
  HeldEpochMicrosecondsQueue,
  HeldEpochMillisecondsQueue,
  HeldEpochSecondsQueue,
  HeldTimestampQueue,
  HeldTimestampSecondsQueue,
  HeldTimestamptzMillisecondsQueue,
  HeldTimestamptzQueue,
  HeldTimestamptzSecondsQueue,
} from './generated/index.js';
import { describeExpiries, type AnyQueue, type ExpiryTable } from './suite/expiries.js';
import { describeLease } from './suite/lease.js';
import { describeConnections } from './suite/postgres/connections.js';
import { describeLockKeys } from './suite/postgres/lock-keys.js';
import { describeLocking } from './suite/postgres/locking.js';
import { describeLocksTaken } from './suite/postgres/locks-taken.js';
import { describePostgresStarting } from './suite/postgres/starting.js';
import { describePostgresTypes } from './suite/postgres/types.js';

/** A table that only PostgreSQL has. */
function expiry(
  table: string,
  coarseness: number,
  Queue: new (database: InboxDatabase<'postgres'>) => AnyQueue,
): ExpiryTable {
  const queue = (database: InboxDatabase<Databases>): AnyQueue =>
    new Queue(database as InboxDatabase<'postgres'>);
  return { table, coarseness, queue };
}

describeLease(postgresBench);
describeExpiries(postgresBench, [
  expiry('held_timestamptz', 0, HeldTimestamptzQueue),
  expiry('held_timestamptz_milliseconds', 1, HeldTimestamptzMillisecondsQueue),
  expiry('held_timestamptz_seconds', 1_000, HeldTimestamptzSecondsQueue),
  expiry('held_timestamp', 0, HeldTimestampQueue),
  expiry('held_timestamp_seconds', 1_000, HeldTimestampSecondsQueue),
  expiry('held_epoch_microseconds', 0, HeldEpochMicrosecondsQueue),
  expiry('held_epoch_milliseconds', 1, HeldEpochMillisecondsQueue),
  expiry('held_epoch_seconds', 1_000, HeldEpochSecondsQueue),
]);
describeLocking();
describeLocksTaken();
describeLockKeys();
describeConnections();
describePostgresTypes();
describePostgresStarting();
