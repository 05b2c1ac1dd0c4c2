import { setTimeout as delay } from 'node:timers/promises';

import type { InboxDatabase } from 'inbox-runtime';
import { expect, onTestFinished } from 'vitest';

import type { Bench, Databases, Oddity, Stand } from '../databases/bench.js';

/** Opens a stand that is closed when the test has ended, however it ends. */
export async function openStand<S extends Stand>(bench: { open(): Promise<S> }): Promise<S> {
  const stand = await bench.open();
  onTestFinished(() => stand.close());
  return stand;
}

/** Connects with a setting; closed when the test has ended. */
export function connectOddly(stand: Stand, oddity: Oddity): InboxDatabase<Databases> {
  const database = oddity.connect(stand);
  onTestFinished(() => database.close());
  return database;
}

/** Something that a test waits for and says when; the waiting fails after `limit` milliseconds. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limit = 20_000,
): Promise<void> {
  const end = performance.now() + limit;
  while (!(await holds())) {
    if (performance.now() > end) {
      throw new Error(`waited ${limit} ms in vain: ${what}`);
    }
    await delay(5);
  }
}

/** A promise that is kept from outside. */
export interface Gate<T = void> {
  readonly passed: Promise<T>;
  open(value: T): void;
}

/** Makes a gate: what a handler waits at until the test has seen enough. */
export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const passed = new Promise<T>((resolve) => (open = resolve));
  return { passed, open };
}

/** The only element of a list that must have exactly one. */
export function only<T>(values: readonly T[]): T {
  expect(values).toHaveLength(1);
  const [value] = values;
  if (value === undefined) {
    throw new Error('the only element is missing');
  }
  return value;
}

/** What the suite asks of a queue to claim from it. */
interface Claimable<Delivery> {
  claim(options: { limit: number; lease: number }): Promise<readonly Delivery[]>;
}

/** Claims one row, which must be due now. */
export async function claimOne<Delivery>(
  queue: Claimable<Delivery>,
  lease = 60_000,
): Promise<Delivery> {
  return only(await queue.claim({ limit: 1, lease }));
}

/** Claims one row as soon as one is due: a lease has to end first. */
export async function claimWhenDue<Delivery>(
  queue: Claimable<Delivery>,
  lease = 60_000,
): Promise<Delivery> {
  const found: Delivery[] = [];
  await until('a row is due', async () => {
    found.push(...(await queue.claim({ limit: 1, lease })));
    return found.length > 0;
  });
  return only(found);
}

/** How each row of `jobs` stands: its attempt, and whether a running lease holds it. */
export async function showJobs(
  bench: Bench,
  stand: Stand,
): Promise<readonly { id: string | null; attempt: string | null; hold: string | null }[]> {
  const rows = await stand.rows(
    `SELECT id, attempt,
       CASE WHEN locked_until IS NULL THEN 'free'
            WHEN locked_until > ${bench.now} THEN 'held'
            ELSE 'ended' END AS hold
     FROM jobs ORDER BY id`,
  );
  return rows.map(({ id = null, attempt = null, hold = null }) => ({ id, attempt, hold }));
}

/** Rows of `jobs` to enqueue, told apart by their payload: 0, 1, 2, … */
export function payloads(count: number): readonly { readonly payload: number }[] {
  return Array.from({ length: count }, (_, n) => ({ payload: n }));
}
