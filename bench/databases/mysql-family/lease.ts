import type mysql from 'mysql2/promise';
import type { Cell, ListStatement, MysqlLeaseStatements } from 'inbox-runtime/v1';
import type { FormBench, Progress } from '../../bench.js';
import { ReportQueue } from '../../generated/index.js';
import { begin, onOneConnection, run, type MysqlServer, type Row } from './server.js';

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = '30000';

/** The lease form: claims and acknowledgements are a short transaction each. */
export function leaseBench(
  { pool, database }: MysqlServer,
  { claim, stamp, own, ack }: MysqlLeaseStatements,
): FormBench {
  const inTransaction = async <Result>(
    work: (connection: mysql.PoolConnection) => Promise<Result>,
  ): Promise<Result> => {
    let result: Result | undefined;
    await onOneConnection(pool, async (connection) => {
      await begin(connection);
      result = await work(connection);
      await connection.query('COMMIT');
    });
    return result as Result;
  };
  const listed = (
    connection: mysql.PoolConnection,
    statement: ListStatement,
    rows: readonly Row[],
    singles: readonly Cell[],
  ): Promise<Row[]> =>
    run(connection, statement.text(rows.length), [...singles, ...rows.map(([id]) => id ?? null)]);

  const take = (limit: number): Promise<Row[]> =>
    inTransaction(async (connection) => {
      const values = { lease, candidates: String(limit * 4 + 32), limit: String(limit) };
      const rows = await run(
        connection,
        claim.text,
        claim.values.map((value) => values[value as keyof typeof values]),
      );
      if (rows.length > 0) await listed(connection, stamp, rows, [rows[0]?.[1] ?? '']);
      return rows;
    });
  // A claim that comes late to a row locks it for a moment, so an acknowledgement can find it busy.
  const settle = async (rows: readonly Row[]): Promise<void> => {
    for (let left = rows; left.length > 0;) {
      const asked = left;
      const done = await inTransaction(async (connection) => {
        const owned = await listed(connection, own, asked, [lease]);
        if (owned.length > 0) await listed(connection, ack, owned, []);
        return new Set(owned.map(([id]) => id));
      });
      left = asked.filter(([id]) => !done.has(id));
    }
  };
  const loop = async (limit: number, { handled }: Progress): Promise<void> => {
    for (;;) {
      const rows = await take(limit);
      if (rows.length === 0) return;
      let last = false;
      for (const row of rows) {
        JSON.parse(row[3] ?? '');
        last = handled();
      }
      await settle(rows);
      if (last) return;
    }
  };
  return {
    table: 'reports',
    queue: new ReportQueue(database),
    rowByRow: (progress) => loop(1, progress),
    hundredAtATime: (progress) => loop(100, progress),
  };
}
