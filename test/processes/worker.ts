import { openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { retry } from 'inbox-runtime';

import { JobQueue } from '../generated/index.js';
import { connectProcess, variable } from './connect-process.js';
import { recordHistory } from './record.js';

// A worker process on the table `jobs`. It works until its input ends, then stops as a service
// would, and records its history. How its handler behaves is said by INBOX_HANDLER:
//
// mixed  a few milliseconds of work; some rows are retried, some throw, at their first delivery
// hang   never ends

recordHistory(openSync(variable('INBOX_HISTORY'), 'a'));

const connection = connectProcess();
const hang = variable('INBOX_HANDLER') === 'hang';

const worker = new JobQueue(connection.database).work(
  async ({ id }, { attempt }) => {
    if (hang) {
      await new Promise(() => undefined);
    }
    await delay(Number(id % 5n));
    if (attempt === 1 && id % 10n === 0n) {
      return retry();
    }
    if (attempt === 1 && id % 10n === 5n) {
      throw new Error('a handler that throws');
    }
    return undefined;
  },
  {
    concurrency: Number(variable('INBOX_CONCURRENCY')),
    lease: Number(variable('INBOX_LEASE')),
    poll: 50,
    backoff: () => 20,
  },
);
await worker.ready;
process.stdout.write('ready\n');

process.stdin.resume();
process.stdin.once('end', () => {
  void worker.stop({ timeout: hang ? 0 : '20s' });
});
await worker.stopped;
await connection.close();
process.stdin.destroy();
