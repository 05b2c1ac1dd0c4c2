import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Stand } from '../databases/bench.js';
import { readHistory, type ProcessHistory } from '../history/history.js';
import { startProcess, type TestProcess } from './start-process.js';

/** A worker process of a test. */
export interface WorkerProcess extends TestProcess {
  /** What it has recorded so far. */
  history(): ProcessHistory;
}

/** How the process works; see `worker.ts`. */
export interface WorkerOptions {
  readonly name: string;
  /** An existing folder for the history. */
  readonly folder: string;
  readonly handler: 'mixed' | 'hang';
  readonly concurrency: number;
  /** Milliseconds. */
  readonly lease: number;
}

/** Starts a worker process on a stand's tables. It ends with the test, whatever happens. */
export function startWorker(stand: Stand, options: WorkerOptions): WorkerProcess {
  const { name, handler, concurrency, lease } = options;
  const file = path.join(options.folder, `${name}.ndjson`);
  const started = startProcess('worker.ts', name, {
    ...stand.environment,
    INBOX_HISTORY: file,
    INBOX_HANDLER: handler,
    INBOX_CONCURRENCY: String(concurrency),
    INBOX_LEASE: String(lease),
  });
  return {
    ...started,
    history: () => readHistory(name, readFileSync(file, 'utf8'), started.killedAt() !== undefined),
  };
}
