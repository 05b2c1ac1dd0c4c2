/**
 * One worker process of the demo: `worker.ts <database file> <name>`. Works reports until the
 * parent closes its channel, then stops gracefully.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { RenderReportQueue } from './generated/index.js';
import { lease } from './settings.js';

const [file, name] = process.argv.slice(2);
if (file === undefined || name === undefined) throw new Error('usage: worker.ts <file> <name>');

const database = new Database(file);
const record = database.prepare(
  'INSERT INTO rendered (report_id, attempt, worker) VALUES (?, ?, ?)',
);

const worker = new RenderReportQueue(sqlite(database)).work(
  async (report) => {
    await sleep(20); // the rendering
    record.run(report.id, BigInt(report.attempt), name);
  },
  { concurrency: 16, lease, poll: '200ms' },
);

process.once('disconnect', () => void worker.stop());
await worker.ready;
process.send?.('ready');
await worker.stopped;
database.close();
