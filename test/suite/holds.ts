import { describe } from 'vitest';

import type { Bench, ServerBench } from '../databases/bench.js';
import { describeKeys } from './advisory/keys.js';
import { describeLocks } from './advisory/locks.js';
import { describeOwnLock } from './advisory/own-lock.js';
import { describeOwnLockSessions } from './advisory/own-lock-sessions.js';
import { describeBudget } from './holds/budget.js';
import { describeByHand } from './holds/by-hand.js';
import { describeHoldEnding } from './holds/ending.js';
import { describeHoldProcesses, describeSharing } from './holds/processes.js';
import { describeHoldSettings } from './holds/settings.js';
import { advisoryTables, customJobs, rowLockTables, type HoldTable } from './holds/table.js';
import { describeHoldWorking } from './holds/working.js';
import { describeTransactions } from './row-lock/transactions.js';

/** Most of these tests start processes or end sessions, which a busy machine makes slow. */
const patience = 60_000;

/** What both forms do on every database that has them. */
function describeTable(bench: Bench, table: HoldTable): void {
  describeByHand(bench, table);
  describeHoldWorking(bench, table);
}

/** What both forms do on a server. */
function describeServerTable(bench: ServerBench, table: HoldTable): void {
  describeTable(bench, table);
  describeBudget(bench, table);
  describeHoldEnding(bench, table);
}

/** The behaviour of the row-lock form: a database has it when all of it holds there. */
export function describeRowLock(bench: ServerBench): void {
  describe(`row lock on ${bench.name}`, { timeout: patience }, () => {
    describe.each(rowLockTables)('$title', (table) => {
      describeServerTable(bench, table);
      if (table.counted) describeHoldSettings(bench, table);
      describeSharing(bench, table);
      if (table.counted) describeHoldProcesses(bench, table);
    });
    describeTransactions(bench);
  });
}

/** The behaviour of the advisory form on any database, own locks by functions included. */
export function describeAdvisory(bench: Bench): void {
  describe(`advisory on ${bench.name}`, { timeout: patience }, () => {
    describe.each([...advisoryTables, customJobs])('$title', (table) => {
      describeTable(bench, table);
      // The author's own functions read what the author's own driver makes of it.
      if (table.counted && table !== customJobs) describeHoldSettings(bench, table);
    });
    describeKeys(bench);
    describeOwnLock(bench);
  });
}

/** What the advisory form does beside that on a server. */
export function describeServerAdvisory(bench: ServerBench): void {
  describe(`advisory on the server ${bench.name}`, { timeout: patience }, () => {
    describe.each(advisoryTables)('$title', (table) => {
      describeBudget(bench, table);
      describeHoldEnding(bench, table);
      describeSharing(bench, table);
      if (table.counted) describeHoldProcesses(bench, table);
    });
    describeLocks(bench);
    describeOwnLockSessions(bench);
  });
}
