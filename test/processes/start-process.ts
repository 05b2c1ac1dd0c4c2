import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

/** A process of a test that works until its input ends. */
export interface TestProcess {
  /** Resolves when it has said `ready`; rejects with its output when it ends before that. */
  readonly ready: Promise<void>;
  /** Ends it as a service is ended; resolves with its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** The machine's monotonic clock just before it was killed, where it was. */
  killedAt(): bigint | undefined;
  /** Stops it as a machine that hangs would, until `resume`. */
  pause(): void;
  resume(): void;
  /** Sends it a line. */
  tell(line: string): void;
  /** What it has said so far. */
  output(): string;
}

/** Starts a script of this folder. It ends with the test, whatever happens. */
export function startProcess(
  script: string,
  name: string,
  environment: Readonly<Record<string, string>>,
): TestProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...environment, TSX_DISABLE_CACHE: '1' },
  });
  let output = '';
  let killed: bigint | undefined;
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  // Its input may be gone when it is told something.
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('ready\n')) {
        resolve();
      }
    });
    void ended.then(() => {
      reject(new Error(`the process ${name} ended early:\n${output}`));
    });
  });
  // A test that kills its process before it was ready has nothing to await.
  ready.catch(() => undefined);
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      killed ??= process.hrtime.bigint();
    }
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    ready,
    kill,
    killedAt: () => killed,
    stop: () => {
      child.stdin.end();
      return ended;
    },
    pause: () => {
      child.kill('SIGSTOP');
    },
    resume: () => {
      child.kill('SIGCONT');
    },
    tell: (line) => {
      child.stdin.write(`${line}\n`);
    },
    output: () => output,
  };
}
