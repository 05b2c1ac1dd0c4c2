import type { Connection } from 'mysql2/promise';

import type { FamilyStand } from '../../databases/mysql-family.js';

/** Fills a table of the suite in one of the forms that hold rows with locks; each row has a key of its own. */
export async function fill(stand: FamilyStand, table: string, count: number): Promise<void> {
  const keyed = table.includes('keyed');
  const rows = Array.from({ length: count }, (_, n) => (keyed ? `(${n + 1}, '1')` : "('1')"));
  await stand.run(
    `INSERT INTO ${table} (${keyed ? 'account_id, ' : ''}payload) VALUES ${rows.join(', ')}`,
  );
  await stand.run(`ANALYZE TABLE ${table}`);
}

/** How many rows of a table no open transaction has locked. */
export async function unlocked(stand: FamilyStand, table: string): Promise<number> {
  await stand.run('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  return (await stand.rows(`SELECT id FROM ${table} ORDER BY id FOR UPDATE SKIP LOCKED`)).length;
}

/** Begins a transaction as the row-lock form does. */
export async function begin(connection: Connection): Promise<void> {
  await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.query('START TRANSACTION');
}
