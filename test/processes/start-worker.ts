import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import type { Stand } from '../databases/bench.js';
import { readHistory, type ProcessHistory } from '../history/history.js';

/** A worker process of a test. */
export interface WorkerProcess {
  /** Resolves when its worker is ready; rejects with its output when it ends before that. */
  readonly ready: Promise<void>;
  /** Ends it as a service is ended; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
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
  const file = path.join(options.folder, `${options.name}.ndjson`);
  const script = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...stand.environment,
      TSX_DISABLE_CACHE: '1',
      INBOX_HISTORY: file,
      INBOX_HANDLER: options.handler,
      INBOX_CONCURRENCY: String(options.concurrency),
      INBOX_LEASE: String(options.lease),
    },
  });
  let output = '';
  let killed = false;
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('ready\n')) {
        resolve();
      }
    });
    void ended.then(() => {
      reject(new Error(`worker process ${options.name} ended early:\n${output}`));
    });
  });
  // A test that kills its worker before it was ready has nothing to await.
  ready.catch(() => undefined);
  const kill = async (): Promise<void> => {
    killed = child.exitCode === null;
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    ready,
    kill,
    stop: () => {
      child.stdin.end();
      return ended;
    },
    history: () => readHistory(options.name, readFileSync(file, 'utf8'), killed),
  };
}
