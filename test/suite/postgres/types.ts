import { describe, expect, it } from 'vitest';

import { postgresBench } from '../../databases/postgres.js';
import {
  ByteaKeyedQueue,
  OddlyDefaultedQueue,
  TypedQueue,
  type NewTyped,
} from '../../generated/index.js';
import type { InboxDatabase } from 'inbox-runtime';
import { connectOddly, openStand } from '../support.js';

const full: NewTyped = {
  small: -32_768,
  big: 9_223_372_036_854_775_807n,
  exact: '-12345678901234567890.0123456789',
  realNumber: 0.1,
  words: 'it\'s "so" \\ é',
  bytes: Uint8Array.of(0, 1, 127, 128, 255),
  flag: false,
  jsonValue: { a: [1, null] },
  uuidValue: '6a5c1d9e-3f0b-4f52-9d6e-2b7f8c9d0e1f',
  dateValue: '2026-03-29',
  instant: new Date('2026-10-25T00:59:59.999Z'),
};
const empty = Object.fromEntries(Object.keys(full).map((name) => [name, null]));

/** One column of every type, under every setting that could change how it is shown. */
export function describePostgresTypes(): void {
  describe.each(postgresBench.oddities)('types of PostgreSQL with $title', (oddity) => {
    it('cross without a loss, and as NULL', async () => {
      const stand = await openStand(postgresBench);
      const queue = new TypedQueue(connectOddly(stand, oddity) as InboxDatabase<'postgres'>);
      await queue.enqueueMany([full, {}, { realNumber: Number.NaN }, { realNumber: Infinity }]);
      const rows = (await queue.claim({ limit: 5 })).map(({ row }) => row);
      expect(rows[0]).toEqual({ id: 1n, ...full });
      expect(rows[1]).toEqual({ id: 2n, ...empty });
      expect(rows.slice(2).map(({ realNumber }) => realNumber)).toEqual([Number.NaN, Infinity]);
    });

    it('are stored as the server shows them itself', async () => {
      const stand = await openStand(postgresBench);
      const queue = new TypedQueue(connectOddly(stand, oddity) as InboxDatabase<'postgres'>);
      await queue.enqueue(full);
      await stand.run("SET TimeZone = 'UTC'");
      const [stored] = await stand.rows('SELECT * FROM typed_jobs');
      expect(stored).toMatchObject({
        small: '-32768',
        big: '9223372036854775807',
        exact: '-12345678901234567890.0123456789',
        real_number: '0.1',
        words: full.words,
        bytes: '\\x00017f80ff',
        flag: 'f',
        json_value: '{"a": [1, null]}',
        uuid_value: full.uuidValue,
        date_value: '2026-03-29',
        instant: '2026-10-25 00:59:59.999+00',
      });
    });
  });

  it.each(postgresBench.oddities)(
    'a default of another type does not bend the value that is given, with $title',
    async (oddity) => {
      const stand = await openStand(postgresBench);
      const database = connectOddly(stand, oddity) as InboxDatabase<'postgres'>;
      const queue = new OddlyDefaultedQueue(database);
      await queue.check();
      const given = {
        inboxN: 'a',
        digits: 9_007_199_254_740_993n,
        exact: '0.12345678901234567890123',
        // Not a time of day in New York.
        wallClock: new Date('2024-03-10T02:30:00.000Z'),
        shortText: '12345',
        jsonValue: { a: 1.5 },
        constructor_: 'given',
      };
      expect(await queue.enqueue(given)).toBe('a');
      const left = await queue.enqueue({});
      expect(left).toMatch(/^[0-9a-f-]{36}$/);
      await expect(queue.enqueue({ shortText: '123456' })).rejects.toThrow('too long');

      const deliveries = await queue.claim({ limit: 3 });
      const rows = new Map(deliveries.map(({ row }) => [row.inboxN, row]));
      expect(rows.get('a')).toEqual(given);
      expect(rows.get(left)).toMatchObject({
        shortText: '5',
        jsonValue: {},
        constructor_: 'built',
      });
      for (const delivery of deliveries) {
        await delivery.extend();
        await delivery.ack();
      }
      expect(await stand.rows('SELECT 1 AS n FROM oddly_defaulted_jobs')).toEqual([]);
    },
  );

  it('a value that is too long for its column is refused, not cut', async () => {
    const stand = await openStand(postgresBench);
    const queue = new TypedQueue(stand.connect() as InboxDatabase<'postgres'>);
    await expect(queue.enqueue({ words: 'x'.repeat(21) })).rejects.toMatchObject({
      code: 'enqueue-failed',
      queue: 'Typed',
    });
    expect(await stand.rows('SELECT id FROM typed_jobs')).toEqual([]);
  });

  it('an instant that no Date can hold is told as what it is', async () => {
    const stand = await openStand(postgresBench);
    const failures: unknown[] = [];
    const queue = new TypedQueue(stand.connect() as InboxDatabase<'postgres'>, {
      on: (event) => failures.push(event.kind === 'decode-failed' ? event.error : event.kind),
    });
    await stand.run("INSERT INTO typed_jobs (instant) VALUES ('infinity')");
    await stand.run("INSERT INTO typed_jobs (date_value) VALUES ('-infinity')");
    await stand.run("INSERT INTO typed_jobs (date_value) VALUES ('5000000-01-01')");
    const [delivery, far] = await queue.claim({ limit: 3 });
    expect(failures.filter((failure) => failure instanceof Error).map(String)).toEqual([
      expect.stringContaining("holds 'infinity'"),
    ]);
    expect(delivery?.row.dateValue).toBe('-infinity');
    expect(far?.row.dateValue).toBe('5000000-01-01');
  });

  it.each(postgresBench.oddities)('a key of bytes is found again, with $title', async (oddity) => {
    const stand = await openStand(postgresBench);
    const database = connectOddly(stand, oddity) as InboxDatabase<'postgres'>;
    const queue = new ByteaKeyedQueue(database);
    const keys = [Uint8Array.of(), Uint8Array.of(0, 92, 120, 255), Uint8Array.of(49, 50)];
    expect(await queue.enqueueMany(keys.map((digest) => ({ digest })))).toEqual(keys);
    const deliveries = await queue.claim({ limit: 3 });
    expect(deliveries.map(({ row }) => row.digest)).toEqual([keys[0], keys[1], keys[2]]);
    await deliveries[0]?.ack();
    await deliveries[1]?.extend();
    await deliveries[1]?.ack();
    await deliveries[2]?.release();
    expect(await stand.rows("SELECT encode(digest, 'hex') AS key FROM bytea_keyed_jobs")).toEqual([
      { key: '3132' },
    ]);
  });
}
