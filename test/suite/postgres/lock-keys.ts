import { describe, expect, it } from 'vitest';

import { postgresBench } from '../../databases/postgres.js';
import { oddlyKeyedJobSpec, uuidKeyedJobSpec } from '../../generated/index.js';
import { openStand } from '../support.js';
import { runStatement } from './run-statement.js';

const settings = [
  ['the defaults', 'SELECT 1'],
  ['standard_conforming_strings off', 'SET standard_conforming_strings = off'],
  [
    'other formats',
    "SET DateStyle = 'SQL, DMY'; SET bytea_output = escape; SET TimeZone = 'Asia/Kolkata'",
  ],
  ['fewer digits', 'SET extra_float_digits = -15'],
  ['nulls in concatenations', 'SET transform_null_equals = on; SET quote_all_identifiers = on'],
] as const;

/** That a lock key's text, and so its lock, is the same whatever a session is set to. */
export function describeLockKeys(): void {
  describe.each(settings)('lock keys with %s', (_, setting) => {
    it('of every type are the text that the template says', async () => {
      const stand = await openStand(postgresBench);
      await stand.run(
        "INSERT INTO oddly_keyed_jobs VALUES (1, 'né''x \\ 😀', 'ab', true, 12345678901234567890)",
      );
      await stand.run(
        `INSERT INTO uuid_keyed_jobs
         VALUES (1, '00112233-4455-6677-8899-AABBCCDDEEFF', -32768, 'é')`,
      );
      const client = await stand.client();
      await client.query(setting);
      const odd = await runStatement(client, oddlyKeyedJobSpec, 'claim', { candidates: 1 });
      const uuid = await runStatement(client, uuidKeyedJobSpec, 'claim', { candidates: 1 });
      const texts = [
        'it\'s \\n "<é😀>" :key $1 ? `%s` né\'x \\ 😀/ab/true/12345678901234567890',
        '00112233-4455-6677-8899-aabbccddeeff/-32768/é',
      ];
      expect([odd, uuid].map(({ rows }) => rows[0]?.[2])).toEqual(texts);
      const plain = await stand.client();
      const { rows } = await plain.query<{ lock: string }>(
        'SELECT hashtextextended(key, 0)::text AS lock FROM unnest($1::text[]) AS key',
        [texts],
      );
      expect([odd, uuid].map((answer) => answer.rows[0]?.[1])).toEqual(
        rows.map(({ lock }) => lock),
      );
    });
  });
}
