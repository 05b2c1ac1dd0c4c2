import { describe, expect, it } from 'vitest';

import { postgresBench } from '../../databases/postgres.js';
import { TypedQueue, type NewTyped } from '../../generated/index.js';
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

  it('a value that is too long for its column is refused, not cut', async () => {
    const stand = await openStand(postgresBench);
    const queue = new TypedQueue(stand.connect() as InboxDatabase<'postgres'>);
    await expect(queue.enqueue({ words: 'x'.repeat(21) })).rejects.toMatchObject({
      code: 'enqueue-failed',
      queue: 'Typed',
    });
    expect(await stand.rows('SELECT id FROM typed_jobs')).toEqual([]);
  });
}
