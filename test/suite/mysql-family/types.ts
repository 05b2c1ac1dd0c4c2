import { randomUUID } from 'node:crypto';

import type { Connection } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { FamilyBench, FamilyDatabase, FamilyStand } from '../../databases/mysql-family.js';
import {
  FamilyTypedQueue,
  HeldTimestampUtcQueue,
  OddlyDefaultedFamilyQueue,
  type NewFamilyTyped,
} from '../../generated/index.js';
import { claimOne, connectOddly, openStand } from '../support.js';

const full: NewFamilyTyped = {
  tiny: -128,
  small: 65_535,
  medium: -8_388_608,
  big: 9_223_372_036_854_775_807n,
  largest: 18_446_744_073_709_551_615n,
  exact: '-12345678901234567890.0123456789',
  realNumber: 0.1,
  singleNumber: 16_777_216,
  words: 'it\'s "so" \\ é 🎈',
  letters: 'ab',
  bytes: Uint8Array.of(0, 1, 39, 92, 127, 128, 255),
  fixedBytes: Uint8Array.of(255, 0, 39, 92),
  flag: false,
  jsonValue: { a: [1, null] },
  choice: "it's two",
  dateValue: '2026-03-29',
  timeValue: '-12:34:56.789',
  moment: new Date('2026-10-25T00:59:59.999Z'),
  instant: new Date('2026-10-25T01:30:00.001Z'),
};
const empty = Object.fromEntries(Object.keys(full).map((name) => [name, null]));

/** One column of every type, under every setting that could change how it is shown. */
export function describeFamilyTypes(bench: FamilyBench): void {
  describe.each(bench.oddities)(`types on ${bench.name} with $title`, (oddity) => {
    it('cross without a loss, and as NULL', async () => {
      const stand = await openStand(bench);
      const queue = new FamilyTypedQueue(connectOddly(stand, oddity) as FamilyDatabase);
      await queue.enqueueMany([full, {}]);
      const rows = (await queue.claim({ limit: 5 })).map(({ row }) => row);
      const [first] = rows;
      // Where a session pads CHARs, that is what it reads.
      expect({ ...first, letters: first?.letters?.trimEnd() }).toEqual({ id: 1n, ...full });
      expect(rows[1]).toEqual({ id: 2n, ...empty });
      await stand.run("SET time_zone = '+00:00'");
      const [stored] = await stand.rows(
        'SELECT moment, instant, HEX(bytes) AS bytes, flag, single_number FROM family_typed_jobs',
      );
      expect(stored).toEqual({
        moment: '2026-10-25 00:59:59.999',
        instant: '2026-10-25 01:30:00.001',
        bytes: '0001275C7F80FF',
        flag: '0',
        single_number: '16777200',
      });
    });
  });

  it.each(bench.oddities)(
    `a default of another type does not bend the value that is given on ${bench.name}, with $title`,
    async (oddity) => {
      const stand = await openStand(bench);
      const queue = new OddlyDefaultedFamilyQueue(connectOddly(stand, oddity) as FamilyDatabase);
      await queue.check();
      const given = {
        digits: 9_007_199_254_740_993n,
        exact: '12345678901234567.12345678901234567890',
        wallClock: new Date('2024-03-10T02:30:00.001Z'),
        shortText: '12345',
        constructor_: 'given',
      };
      await queue.enqueue(given);
      await queue.enqueue({});
      const [first, second] = (await queue.claim({ limit: 3 })).map(({ row }) => row);
      expect(first).toEqual({ id: 1n, ...given });
      expect(second).toMatchObject({ id: 2n, shortText: '5', constructor_: 'built' });
    },
  );

  describe(`the repeated hour of autumn on ${bench.name}`, () => {
    it('a lease in a TIMESTAMP holds, ends and settles in it', async () => {
      const stand = await openStand(bench);
      const zone = await addZone(stand);
      const pool = stand.pool({}, `SET time_zone = '${zone}'`);
      const queue = new HeldTimestampUtcQueue(stand.over(pool));
      await queue.enqueue({});
      await queue.enqueue({});
      // Before the clocks go back by an hour, ten minutes ago, in local time, and after.
      const deliveries = await queue.claim({ limit: 2, lease: 600_000 });
      expect(deliveries).toHaveLength(2);
      const others = new HeldTimestampUtcQueue(stand.connect() as FamilyDatabase);
      expect(await others.claim({ limit: 5 })).toEqual([]);
      await Promise.all(deliveries.map((delivery) => delivery.extend({ lease: 4_500_000 })));
      expect(await others.claim({ limit: 5 })).toEqual([]);
      expect(await queue.claim({ limit: 5 })).toEqual([]);
      await stand.run("SET time_zone = '+00:00'");
      const [held] = await stand.rows(
        'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), locked_until) AS seconds FROM held_timestamp_utc',
      );
      expect(Number(held?.['seconds'])).toBeGreaterThan(4_480);
      await deliveries[0]?.ack();
      await deliveries[1]?.release();
      await (await claimOne(queue)).ack();
    });
  });
}

/** A zone whose clocks went back by an hour ten minutes ago; gone with the test. */
async function addZone(stand: FamilyStand): Promise<string> {
  const name = `Inbox/${randomUUID()}`;
  const back = Math.floor(Date.now() / 1_000) - 600;
  const connection: Connection = await stand.connection({ database: 'mysql' });
  const insert = async (table: string, values: readonly (string | number)[]): Promise<void> => {
    await connection.query(`INSERT INTO ${table} VALUES (?)`, [values]);
  };
  await connection.query("INSERT INTO time_zone (Use_leap_seconds) VALUES ('N')");
  const [[row]] = (await connection.query('SELECT LAST_INSERT_ID() AS id')) as unknown as [
    [{ id: number }],
  ];
  const { id } = row;
  onTestFinished(async () => {
    for (const table of ['', '_name', '_transition', '_transition_type']) {
      await connection.query(`DELETE FROM time_zone${table} WHERE Time_zone_id = ?`, [id]);
    }
  });
  await insert('time_zone_name', [name, id]);
  await insert('time_zone_transition_type', [id, 0, 7_200, 1, 'SUM']);
  await insert('time_zone_transition_type', [id, 1, 3_600, 0, 'WIN']);
  await insert('time_zone_transition', [id, back - 10_000_000, 0]);
  await insert('time_zone_transition', [id, back, 1]);
  return name;
}
