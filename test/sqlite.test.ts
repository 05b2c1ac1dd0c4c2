import type { InboxDatabase } from 'inbox-runtime';

import type { Databases } from './databases/bench.js';
import { sqliteBench } from './databases/sqlite.js';
import {
  HeldIntegerMicrosecondsQueue,
  HeldIntegerQueue,
  HeldIntegerSecondsQueue,
  HeldTextQueue,
} from './generated/index.js';
import { describeExpiries, type AnyQueue, type ExpiryTable } from './suite/expiries.js';
import { describeLease } from './suite/lease.js';
import { describeFiles } from './suite/sqlite/files.js';
import { describeLockKeys } from './suite/sqlite/lock-keys.js';
import { describeSqliteStarting } from './suite/sqlite/starting.js';
import { describeSqliteTypes } from './suite/sqlite/types.js';

/** A table that only SQLite has. */
function expiry(
  table: string,
  coarseness: number,
  Queue: new (database: InboxDatabase<'sqlite'>) => AnyQueue,
): ExpiryTable {
  const queue = (database: InboxDatabase<Databases>): AnyQueue =>
    new Queue(database as InboxDatabase<'sqlite'>);
  return { table, coarseness, queue };
}

describeLease(sqliteBench);
describeExpiries(sqliteBench, [
  expiry('held_integer', 1, HeldIntegerQueue),
  expiry('held_integer_microseconds', 1, HeldIntegerMicrosecondsQueue),
  expiry('held_integer_seconds', 1_000, HeldIntegerSecondsQueue),
  expiry('held_text', 1, HeldTextQueue),
]);
describeFiles();
describeLockKeys();
describeSqliteTypes();
describeSqliteStarting();
