import { describe } from 'vitest';

import type { Bench } from '../databases/bench.js';
import { describeClaiming } from './claiming.js';
import { describeClocks } from './clocks.js';
import { describeCrossing } from './crossing.js';
import { describeEnqueueing } from './enqueueing.js';
import { describeHolding } from './holding.js';
import { describeProcesses } from './processes.js';
import { describeSettling } from './settling.js';
import { describeStarting } from './starting.js';
import { describeWorking } from './working.js';

/** The behaviour of the lease form: a database is supported when all of it holds there. */
export function describeLease(bench: Bench): void {
  describe(`lease on ${bench.name}`, () => {
    describeClaiming(bench);
    describeSettling(bench);
    describeWorking(bench);
    describeHolding(bench);
    describeEnqueueing(bench);
    describeCrossing(bench);
    describeClocks(bench);
    describeStarting(bench);
    describeProcesses(bench);
  });
}
