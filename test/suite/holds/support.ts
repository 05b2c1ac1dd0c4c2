import { expect, onTestFinished } from 'vitest';

import type { Stand } from '../../databases/bench.js';
import { only, until } from '../support.js';
import type { HeldDelivery, HoldQueue, HoldTable } from './table.js';

/**
 * Opens a stand that is closed when the test has ended, however it ends. Fails the test if a session
 * of the queues then still has a transaction open or a lock.
 */
export async function openHoldStand<S extends Stand>(bench: { open(): Promise<S> }): Promise<S> {
  const stand = await bench.open();
  onTestFinished(async ({ task }) => {
    try {
      // One that has failed half-way has told what is wrong, and may hold anything.
      if (task.result?.state !== 'fail') await expectNothingHeld(stand);
    } finally {
      await stand.close();
    }
  });
  return stand;
}

/** Waits until no session of the queues holds anything; fails with what it does hold. */
export async function expectNothingHeld(stand: Stand): Promise<void> {
  let held: readonly string[] = [];
  await until('nothing is held', async () => (held = await stand.held()).length === 0).catch(
    () => undefined,
  );
  expect(held).toEqual([]);
}

/** Waits until a session of the queues holds something. */
export async function untilHeld(stand: Stand): Promise<void> {
  await until('a row is held', async () => (await stand.held()).length > 0);
}

/** How each row of a table stands: its id and, where the table counts, its attempt. */
export async function showRows(
  stand: Stand,
  { table, counted }: HoldTable,
): Promise<readonly { readonly id: string; readonly attempt: string | null }[]> {
  const attempt = counted ? 'attempt' : 'NULL';
  const rows = await stand.rows(`SELECT id, ${attempt} AS attempt FROM ${table} ORDER BY id`);
  return rows.map((row) => ({ id: row['id'] ?? '', attempt: row['attempt'] ?? null }));
}

/** A row as `showRows` shows it, with the attempt that the column has where the table counts. */
export function shown(
  { counted }: HoldTable,
  id: bigint | string | undefined,
  attempt: number,
): { readonly id: string; readonly attempt: string | null } {
  return { id: String(id), attempt: counted ? String(attempt) : null };
}

/** What a delivery says of its attempt, where the table counts. */
export function counted(table: HoldTable, attempt: number): number | null {
  return table.counted ? attempt : null;
}

/** What the column of a row in work, or of one whose session ended, says. */
export function heldAttempt({ form }: HoldTable): number {
  return form === 'advisory' ? 2 : 1;
}

/** Waits until a table is empty. */
export async function untilEmpty(
  stand: Stand,
  { table }: HoldTable,
  limit?: number,
): Promise<void> {
  await until(
    `${table} is empty`,
    async () => (await stand.rows(`SELECT id FROM ${table} LIMIT 1`)).length === 0,
    limit,
  );
}

/** Claims one row, which must be free now. */
export async function claimOne(queue: HoldQueue): Promise<HeldDelivery> {
  return only(await queue.claim());
}

/** Claims one row as soon as one is free. */
export async function claimWhenFree(queue: HoldQueue): Promise<HeldDelivery> {
  const found: HeldDelivery[] = [];
  await until('a row is free', async () => {
    found.push(...(await queue.claim()));
    return found.length > 0;
  });
  return only(found);
}

/** The numbers from 0 on, as payloads. */
export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/** Adds rows whose keys take turns, the first again after the last; where `keys` is 0, each its own. */
export async function addTurns(
  queue: HoldQueue,
  count: number,
  keys: number,
): Promise<readonly string[]> {
  if (keys === 0) return (await queue.add(numbers(count))).map(String);
  const ids: string[] = [];
  for (let at = 0; at < count; at += keys) {
    const turn = numbers(Math.min(keys, count - at));
    ids.push(...(await queue.add(turn)).map(String));
  }
  return ids;
}
