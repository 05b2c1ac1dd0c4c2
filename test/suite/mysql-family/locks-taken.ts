import { setTimeout as delay } from 'node:timers/promises';

import type { Connection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';

import type { FamilyBench, FamilyStand } from '../../databases/mysql-family.js';
import {
  bareKeyedJobSpec,
  bareLockedJobSpec,
  keyedJobSpec,
  lockedJobSpec,
} from '../../generated/index.js';
import type { Answer, AnySpec, Bound } from '../locks/bound.js';
import { openStand, until } from '../support.js';
import { begin, fill, unlocked } from './lock-tables.js';
import { runStatement } from './run-statement.js';

const isolations = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;

/** What a user may have the optimizer do, by server: joins in batches, no merging of subqueries. */
const optimizers: Readonly<Record<FamilyBench['name'], readonly string[]>> = {
  mysql: [
    'SET @inbox = 1',
    "SET optimizer_switch = 'mrr=on,mrr_cost_based=off,batched_key_access=on'",
    "SET optimizer_switch = 'derived_merge=off,block_nested_loop=off,hash_join=off'",
    "SET optimizer_switch = 'prefer_ordering_index=off,subquery_to_derived=on'",
  ],
  mariadb: [
    'SET @inbox = 1',
    "SET join_cache_level = 8, optimizer_switch = 'mrr=on,mrr_cost_based=off,join_cache_bka=on'",
    "SET optimizer_switch = 'derived_merge=off,join_cache_incremental=off,join_cache_hashed=off'",
    "SET optimizer_switch = 'derived_with_keys=off,rowid_filter=off,split_materialized=off'",
  ],
};

/** How many rows a connection's transaction has locked, as the server counts them. */
async function lockedRows(stand: FamilyStand, { threadId }: Connection): Promise<unknown> {
  // The server renews what it shows when nobody has looked for a tenth of a second.
  await delay(150);
  const [row] = await stand.rows(
    `SELECT trx_rows_locked AS n FROM information_schema.innodb_trx
     WHERE trx_mysql_thread_id = ${threadId}`,
  );
  return row?.['n'];
}

/** The rows of a table whose keys a connection has locked. */
async function lockedKeys(
  stand: FamilyStand,
  table: string,
  { threadId }: Connection,
): Promise<readonly unknown[]> {
  const prefix = table.startsWith('bare') ? 'bare-jobs-' : 'jobs-';
  const rows = await stand.rows(
    `SELECT id FROM ${table}
     WHERE IS_USED_LOCK(CONCAT('${stand.schema}.${prefix}', account_id)) = ${threadId}`,
  );
  return rows.map(({ id }) => id);
}

/** That the locks of one claim are those of the row that it answers, whatever the plan. */
export function describeLocksTaken(bench: FamilyBench): void {
  const run = (
    connection: Connection,
    spec: AnySpec,
    name: string,
    bound?: Bound,
  ): Promise<Answer> => runStatement(connection, bench.name, spec, name, bound);

  describe.each(isolations)(`locks taken on ${bench.name} where sessions are %s`, (isolation) => {
    const session = `SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`;

    it.each([1, 3, 5_000])(
      'a row-lock claim of %s rows locks the row that it returns',
      async (n) => {
        const stand = await openStand(bench);
        for (const [table, spec] of [
          ['locked_jobs', lockedJobSpec],
          ['bare_locked_jobs', bareLockedJobSpec],
        ] as const) {
          await fill(stand, table, n);
          for (const optimizer of optimizers[bench.name]) {
            const connection = await stand.connection();
            await connection.query(session);
            await connection.query(optimizer);
            await begin(connection);
            const { rows } = await run(connection, spec, 'claim', { candidates: 42 });
            expect(
              rows.map(([id]) => id),
              optimizer,
            ).toEqual(['1']);
            expect(await unlocked(stand, table), optimizer).toBe(n - 1);
            if (optimizer === optimizers[bench.name][0]) {
              await until(
                'the server counts one row locked',
                async () => (await lockedRows(stand, connection)) === '1',
              );
            }
            await connection.rollback();
          }
        }
      },
    );

    it.each([1, 3, 5_000])('an advisory claim of %s rows locks one key and no row', async (n) => {
      const stand = await openStand(bench);
      for (const [table, spec] of [
        ['keyed_jobs', keyedJobSpec],
        ['bare_keyed_jobs', bareKeyedJobSpec],
      ] as const) {
        await fill(stand, table, n);
        for (const optimizer of optimizers[bench.name]) {
          const connection = await stand.connection();
          await connection.query(session);
          await connection.query(optimizer);
          const { rows } = await run(connection, spec, 'claim', { candidates: 9 });
          const [[lock, , id] = []] = rows;
          expect([rows.length, id], optimizer).toEqual([1, '1']);
          expect(await lockedKeys(stand, table, connection), optimizer).toEqual(['1']);
          expect(await unlocked(stand, table), optimizer).toBe(n);
          expect((await run(connection, spec, 'unlock', { lock })).rows).toEqual([['1']]);
          expect(await lockedKeys(stand, table, connection)).toEqual([]);
        }
      }
    });

    it('a held row and an empty claim block no producer, before, between or behind', async () => {
      const stand = await openStand(bench);
      await stand.run(
        "INSERT INTO locked_jobs (id, payload) VALUES (10, '1'), (20, '1'), (30, '1')",
      );
      const holders = await Promise.all(Array.from({ length: 4 }, () => stand.connection()));
      const claimed: unknown[] = [];
      for (const holder of holders) {
        await holder.query(session);
        await begin(holder);
        const { rows } = await run(holder, lockedJobSpec, 'claim', { candidates: 42 });
        claimed.push(rows[0]?.[0]);
      }
      // The last has found all rows locked, and stays in its transaction.
      expect(claimed).toEqual(['10', '20', '30', undefined]);
      const producer = await stand.connection();
      await producer.query(session);
      await producer.query('SET innodb_lock_wait_timeout = 1');
      for (const id of [5, 15, 25, 35]) {
        await producer.query(`INSERT INTO locked_jobs (id, payload) VALUES (${id}, '1')`);
      }
      for (const holder of holders) await holder.rollback();
    });

    it('a claim on an empty table blocks no producer', async () => {
      const stand = await openStand(bench);
      const holder = await stand.connection();
      await holder.query(session);
      await begin(holder);
      expect((await run(holder, lockedJobSpec, 'claim', { candidates: 42 })).rows).toEqual([]);
      const producer = await stand.connection();
      await producer.query(session);
      await producer.query('SET innodb_lock_wait_timeout = 1');
      await producer.query("INSERT INTO locked_jobs (payload) VALUES ('1')");
      await holder.rollback();
    });

    it('a settlement looks at no row but its own', async () => {
      const stand = await openStand(bench);
      await fill(stand, 'locked_jobs', 3);
      const [client, other] = [await stand.connection(), await stand.connection()];
      await client.query('SET innodb_lock_wait_timeout = 1');
      await begin(client);
      await run(client, lockedJobSpec, 'claim', { candidates: 42 });
      await begin(other);
      await other.query('SELECT id FROM locked_jobs FOR UPDATE SKIP LOCKED');
      expect((await run(client, lockedJobSpec, 'retry', { key1: '1' })).count).toBe(1);
      expect((await run(client, lockedJobSpec, 'ack', { key1: '1' })).count).toBe(1);
      await client.commit();
      await other.rollback();
      expect(await unlocked(stand, 'locked_jobs')).toBe(2);
    });
  });
}
