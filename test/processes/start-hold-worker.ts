import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Stand } from '../databases/bench.js';
import { readHoldHistory, type HoldHistory } from '../history/hold-history.js';
import { startProcess, type TestProcess } from './start-process.js';

/** A worker process of a test on a table whose rows are held by sessions. */
export interface HoldWorkerProcess extends TestProcess {
  /** What it has recorded so far. */
  history(): HoldHistory;
}

/** How the process works; see `hold-worker.ts`. */
export interface HoldWorkerOptions {
  readonly name: string;
  /** An existing folder for the history. */
  readonly folder: string;
  readonly table: string;
  readonly handler: 'mixed' | 'wait' | 'hand';
  readonly concurrency: number;
  /** How many keys the rows have, turn by turn; 0 where each row is its own. */
  readonly keys: number;
}

/** Starts a worker process on a stand's tables. It ends with the test, whatever happens. */
export function startHoldWorker(stand: Stand, options: HoldWorkerOptions): HoldWorkerProcess {
  const { name, table, handler, concurrency, keys } = options;
  const file = path.join(options.folder, `${name}.ndjson`);
  const started = startProcess('hold-worker.ts', name, {
    ...stand.environment,
    INBOX_HISTORY: file,
    INBOX_TABLE: table,
    INBOX_HANDLER: handler,
    INBOX_CONCURRENCY: String(concurrency),
    INBOX_KEYS: String(keys),
  });
  return {
    ...started,
    history: () =>
      readHoldHistory(name, existsSync(file) ? readFileSync(file, 'utf8') : '', started.killedAt()),
  };
}
