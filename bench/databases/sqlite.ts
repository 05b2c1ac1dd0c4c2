import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sqlite } from 'inbox-runtime/better-sqlite3';
import type { Bench, Handled } from '../bench.js';
import { reportSpec } from '../generated/index.js';

const { claim, stamp, ack } = reportSpec.statements.sqlite;

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = 30_000n;

type Row = readonly [id: bigint, held: bigint, attempt: bigint, payload: string];

/** SQLite on a file in a temporary folder, WAL, `synchronous=FULL`. */
export function openSqlite(): Promise<Bench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-bench-'));
  const file = path.join(folder, 'bench.db');
  const handle = new Database(file);
  handle.pragma('journal_mode = WAL');
  handle.pragma('synchronous = FULL');
  handle.exec(`
    CREATE TABLE reports (
      id INTEGER PRIMARY KEY AUTOINCREMENT, attempt INTEGER NOT NULL DEFAULT 1,
      locked_until INTEGER, payload JSON NOT NULL
    )`);
  const add = handle.prepare('INSERT INTO reports (payload) VALUES (?)');

  const statements = {
    claim: handle.prepare(claim.text).raw().safeIntegers(),
    stamp: handle.prepare(stamp.text).safeIntegers(),
    ack: handle.prepare(ack.text).safeIntegers(),
  };
  const take = handle.transaction((limit: bigint): Row[] => {
    const rows = statements.claim.all(lease, limit) as Row[];
    for (const [id, held, attempt] of rows) statements.stamp.run(held, attempt, id);
    return rows;
  });
  const settle = handle.transaction((rows: readonly Row[]) => {
    for (const [id, held, attempt] of rows) statements.ack.run(id, held, attempt);
  });

  const loop = async (limit: bigint, handled: Handled): Promise<void> => {
    for (;;) {
      const rows = take.immediate(limit);
      if (rows.length === 0) return;
      let last = false;
      for (const row of rows) {
        JSON.parse(row[3]);
        last = handled();
      }
      settle.immediate(rows);
      if (last) return;
      // A worker that shares its process lets others run between two claims.
      await turn();
    }
  };

  return Promise.resolve({
    title: `SQLite ${String(handle.prepare('SELECT sqlite_version()').pluck().get())}, better-sqlite3`,
    database: sqlite(handle),
    fill(rows) {
      handle.exec('DELETE FROM reports');
      handle.transaction(() => {
        for (let n = 1; n <= rows; n += 1) {
          add.run(JSON.stringify({ report: n, pages: 'x'.repeat(80) }));
        }
      })();
      return Promise.resolve();
    },
    left: () =>
      Promise.resolve(Number(handle.prepare('SELECT count(*) FROM reports').pluck().get())),
    sent: () => 0,
    rowByRow: (handled) => loop(1n, handled),
    hundredAtATime: (handled) => loop(100n, handled),
    close() {
      handle.close();
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  });
}
