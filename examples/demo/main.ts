/**
 * The main job, start to end, on a real SQLite file: generate from an annotated schema, enqueue,
 * work with two processes, kill one half-way, and count what happened.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import { lease, reports } from './settings.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schema = join(root, 'fixtures/demo/schema.sql');
const generated = fileURLToPath(new URL('generated', import.meta.url));

/** Gives up when nothing has moved for this long, in milliseconds. */
const patience = 20_000;

generate();
const { RenderReportQueue, renderReportSpec } = await import('./generated/index.js');
console.log('Its claim statement:');
console.log(indent(renderReportSpec.statements.sqlite.claim.text));

const folder = mkdtempSync(join(tmpdir(), 'inbox-gen-demo-'));
const file = join(folder, 'queue.db');
const database = new Database(file);
try {
  database.pragma('journal_mode = WAL');
  database.exec(readFileSync(schema, 'utf8'));

  const inbox = sqlite(database);
  const queue = new RenderReportQueue(inbox);
  await queue.enqueueMany(
    Array.from({ length: reports }, (_, n) => ({
      title: `Report ${n + 1}`,
      payload: { pages: [n, n + 1] },
    })),
  );
  await inbox.close();
  console.log(`\nEnqueued ${reports} reports in ${file}`);

  await work();
  report();
} finally {
  database.close();
  rmSync(folder, { recursive: true, force: true });
}

function generate(): void {
  const cli = join(root, 'packages/codegen/bin/inbox-gen.js');
  console.log(`$ inbox-gen ${relative(root, schema)} -o ${relative(root, generated)}`);
  const run = spawnSync(process.execPath, [cli, schema, '-o', generated], { stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
  console.log(`\nGenerated ${relative(root, join(generated, 'report_jobs.ts'))}`);
}

/** Two workers until the table is empty; the first is killed when half is done. */
async function work(): Promise<void> {
  const first = await startWorker('first');
  const second = await startWorker('second');
  console.log(
    `Two workers, 16 handlers each, lease ${lease}. The first will be killed half-way.\n`,
  );
  try {
    await until(() => {
      progress();
      return count('SELECT count(DISTINCT report_id) FROM rendered') >= reports / 2;
    });
    first.kill('SIGKILL');
    console.log(`  kill -9 ${first.pid}: its reports come back when their lease ends`);
    await until(() => {
      progress();
      return count('SELECT count(*) FROM report_jobs') === 0;
    });
  } finally {
    first.kill('SIGKILL');
    if (second.connected) {
      const closed = once(second, 'exit');
      second.disconnect();
      await closed;
    }
  }
}

async function startWorker(name: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('worker.ts', import.meta.url));
  const worker = fork(script, [file, name], { execArgv: ['--import', 'tsx'] });
  await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(([code]) => {
      throw new Error(`the ${name} worker ended with ${String(code)} before it was ready`);
    }),
  ]);
  return worker;
}

async function until(done: () => boolean): Promise<void> {
  let last = Date.now();
  let seen = -1;
  while (!done()) {
    const now = count('SELECT count(*) FROM rendered');
    if (now !== seen) last = Date.now();
    seen = now;
    if (Date.now() - last > patience) throw new Error('nothing has moved for too long; giving up');
    await sleep(400);
  }
}

function progress(): void {
  const worked = count('SELECT count(DISTINCT report_id) FROM rendered');
  const bar = '#'.repeat(Math.floor((worked / reports) * 40)).padEnd(40, '.');
  console.log(`  [${bar}] ${worked} worked, ${count('SELECT count(*) FROM report_jobs')} left`);
}

function report(): void {
  const worked = count('SELECT count(DISTINCT report_id) FROM rendered');
  const left = count('SELECT count(*) FROM report_jobs');
  const missing = count(
    `SELECT ${reports} - count(DISTINCT id)
     FROM (SELECT report_id AS id FROM rendered UNION ALL SELECT id FROM report_jobs)`,
  );
  const twice = count(
    'SELECT count(*) FROM (SELECT 1 FROM rendered GROUP BY report_id HAVING count(*) > 1)',
  );
  console.log('\n  enqueued           ', reports);
  console.log('  worked             ', worked);
  console.log(
    '  delivered twice    ',
    twice,
    '(worked by the killed process, not yet acknowledged)',
  );
  console.log('  lost               ', missing);
  console.log('  left in the table  ', left);
  if (worked !== reports || missing !== 0 || left !== 0) process.exitCode = 1;
}

function count(sql: string): number {
  return Number(database.prepare(sql).pluck().get());
}

function indent(text: string): string {
  return text.trim().replace(/^/gm, '  ');
}
