import type { InboxDatabase } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import { sqliteBench } from '../../databases/sqlite.js';
import {
  AnyTypedQueue,
  HeldTextQueue,
  TextPayloadQueue,
  type NewAnyTyped,
} from '../../generated/index.js';
import { connectOddly, openStand } from '../support.js';

const full: NewAnyTyped = {
  small: -32_768,
  big: 9_223_372_036_854_775_807n,
  realNumber: 0.1,
  words: 'it\'s "so" \\ é',
  bytes: Uint8Array.of(0, 1, 127, 128, 255),
  flag: false,
  jsonValue: { a: [1, null] },
};
const empty = Object.fromEntries(Object.keys(full).map((name) => [name, null]));

/** One column of every type, and what SQLite's affinities do to them. */
export function describeSqliteTypes(): void {
  describe.each(sqliteBench.oddities)('types of SQLite with $title', (oddity) => {
    it('cross without a loss, and as NULL', async () => {
      const stand = await openStand(sqliteBench);
      const queue = new AnyTypedQueue(connectOddly(stand, oddity) as InboxDatabase<'sqlite'>);
      await queue.enqueueMany([full, {}]);
      const rows = (await queue.claim({ limit: 5 })).map(({ row }) => row);
      expect(rows).toEqual([
        { id: 1n, ...full },
        { id: 2n, ...empty },
      ]);
    });

    it('integers are stored as integers', async () => {
      const stand = await openStand(sqliteBench);
      const queue = new AnyTypedQueue(connectOddly(stand, oddity) as InboxDatabase<'sqlite'>);
      await queue.enqueue(full);
      await queue.claim({ limit: 1 });
      expect(
        await stand.rows(
          `SELECT typeof(id) AS id, typeof(small) AS small, typeof(big) AS big, typeof(flag) AS flag,
             typeof(locked_until) AS locked_until, typeof(bytes) AS bytes, typeof(words) AS words
           FROM any_typed_jobs`,
        ),
      ).toEqual([
        {
          ...{ id: 'integer', small: 'integer', big: 'integer', flag: 'integer' },
          ...{ locked_until: 'integer', bytes: 'blob', words: 'text' },
        },
      ]);
    });
  });

  it('a JSON payload in a text column stays text', async () => {
    const stand = await openStand(sqliteBench);
    const queue = new TextPayloadQueue(stand.connect());
    await queue.enqueueMany([{ payload: 0 }, { payload: '0' }, { payload: null }]);
    expect(await stand.rows('SELECT payload, typeof(payload) AS type FROM text_payloads')).toEqual([
      { payload: '0', type: 'text' },
      { payload: '"0"', type: 'text' },
      { payload: 'null', type: 'text' },
    ]);
  });

  it('an expiry that the application wrote with datetime() is the moment that it names', async () => {
    const stand = await openStand(sqliteBench);
    const queue = new HeldTextQueue(stand.connect() as InboxDatabase<'sqlite'>);
    await stand.run(`
      INSERT INTO held_text (id, locked_until) VALUES
        (1, datetime('now', '+1 minute')),
        (2, datetime('now', '-1 minute')),
        (3, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 minute')),
        (4, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 minute'))`);
    const rows = (await queue.claim({ limit: 5 })).map(({ row }) => row.id);
    expect(rows).toEqual([2n, 4n]);
  });
}
