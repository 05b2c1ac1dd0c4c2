import diagnostics from 'node:diagnostics_channel';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

import { retry, type InboxEvent } from 'inbox-runtime';

import { advisoryTables, rowLockTables, type HeldDelivery } from '../suite/holds/table.js';
import { gate } from '../suite/support.js';
import { connectProcess, variable } from './connect-process.js';
import { intoFile, recordHolds } from './record-holds.js';

// A process on a table whose rows are held by sessions, named by INBOX_TABLE, which works until its
// input ends and records its history. How is said by INBOX_HANDLER:
//
// mixed  a worker: a few milliseconds a row; some are retried, some throw, at the first time
// wait   a worker whose handlers wait for the line `go`
// hand   no worker: claims a row at the first line, acknowledges it at the second

const concurrency = Number(variable('INBOX_CONCURRENCY'));
const keys = BigInt(variable('INBOX_KEYS'));
const table = [...rowLockTables, ...advisoryTables].find(
  (each) => each.table === variable('INBOX_TABLE'),
);
if (table === undefined) {
  throw new Error('no such table');
}

// The test gives row 1 the first key, row 2 the next, and begins again after the last.
const recorder = recordHolds(
  (id) => (keys === 0n ? `row ${id}` : `key ${String((BigInt(id) - 1n) % keys)}`),
  intoFile(openSync(variable('INBOX_HISTORY'), 'a')),
);
diagnostics.subscribe('inbox-runtime', (event) => {
  recorder.heard(event as InboxEvent);
});
const connection = connectProcess(concurrency + 1);
const queue = table.queue(connection.database);
const lines = createInterface({ input: process.stdin });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

await (variable('INBOX_HANDLER') === 'hand' ? byHand() : work());
await connection.close();
process.stdin.destroy();

async function work(): Promise<void> {
  const waits = variable('INBOX_HANDLER') === 'wait';
  const go = gate();
  const before = new Set<bigint>();
  const worker = queue.work(
    async ({ id }) => {
      const first = !before.has(id);
      before.add(id);
      try {
        if (waits) {
          say(`handling ${String(id)}`);
          await go.passed;
          return undefined;
        }
        await delay(Number(id % 5n));
        if (first && id % 10n === 0n) {
          return retry();
        }
        if (first && id % 10n === 5n) {
          throw new Error('a handler that throws');
        }
        return undefined;
      } finally {
        recorder.left(id);
      }
    },
    { concurrency, poll: '50ms', backoff: () => 20 },
  );
  worker.ready.then(
    () => {
      say('ready');
    },
    (error: unknown) => {
      console.error(error);
    },
  );
  lines.on('line', () => {
    go.open();
  });
  lines.once('close', () => {
    void worker.stop({ timeout: waits ? 0 : '20s' });
  });
  await worker.stopped;
}

async function byHand(): Promise<void> {
  await queue.check();
  say('ready');
  let delivery: HeldDelivery | undefined;
  for await (const _ of lines) {
    if (delivery === undefined) {
      [delivery] = await queue.claim();
      say(`handling ${String(delivery?.row.id)}`);
    } else {
      await delivery.ack();
      say('acknowledged');
    }
  }
}
