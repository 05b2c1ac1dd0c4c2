import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { FamilyBench } from '../../databases/mysql-family.js';
import { mixedKeyedJobSpec, oddlyKeyedJobSpec, textKeyedJobSpec } from '../../generated/index.js';
import { openStand } from '../support.js';
import { runStatement } from './run-statement.js';

const settings = [
  ['the defaults', 'SET @inbox = 1'],
  ['latin1', 'SET NAMES latin1 COLLATE latin1_bin'],
  ['another collation', 'SET NAMES utf8mb4 COLLATE utf8mb4_bin'],
  ['three bytes a character', 'SET NAMES utf8mb3'],
  ['no character set', 'SET NAMES binary'],
  ['two bytes a character', 'SET character_set_connection = ucs2'],
  [
    'other rules of SQL',
    "SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'",
  ],
  ['another zone', "SET time_zone = '+05:30'"],
] as const;

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** That a lock key's text and its lock's name are the same whatever a session is set to. */
export function describeLockKeys(bench: FamilyBench): void {
  describe(`lock keys on ${bench.name}`, () => {
    it.each(settings)('of every type are locked alike by a session with %s', async (_, setting) => {
      const stand = await openStand(bench);
      await stand.run(
        `INSERT INTO oddly_keyed_jobs
         VALUES (1, CONCAT('né''x ', X'5C', ' 😀'), 'ab', TRUE, 12345678901234567890)`,
      );
      await stand.run(
        `INSERT INTO mixed_keyed_jobs
         VALUES (1, 'é', 'Ü😀', 'ab', 'y', X'00112233445566778899AABBCCDDEEFF', 18446744073709551615, 7)`,
      );
      const odd = 'it\'s \\n "<é😀>" :key $1 ? `%s` né\'x \\ 😀/ab/1/12345678901234567890';
      const mixed = 'é/Ü😀/ab/y/00112233445566778899aabbccddeeff/18446744073709551615/00007';
      const client = await stand.connection();
      await client.query(setting);
      for (const [spec, text] of [
        [oddlyKeyedJobSpec, odd],
        [mixedKeyedJobSpec, mixed],
      ] as const) {
        const { rows } = await runStatement(client, bench.name, spec, 'claim', { candidates: 1 });
        const [[lock, key] = []] = rows;
        expect(lock).toBe(sha256(`${stand.schema}.${text}`));
        // What reaches the client is what its character set can show.
        if (!setting.includes('latin1') && !setting.includes('utf8mb3')) expect(key).toBe(text);
        const { rows: unlocked } = await runStatement(client, bench.name, spec, 'unlock', { lock });
        expect(unlocked).toEqual([['1']]);
      }
    });

    it.each([
      ['short', 'a', true],
      ['of 64 characters with the name of the database', 'n', true],
      ['of 65', 'n', false],
      ['of 200', 'n', false],
      ['short, of three bytes a character', '€', false],
      ['short, of four bytes', '😀', false],
    ])('that are %s have a name that the server takes', async (length, letter, plain) => {
      const stand = await openStand(bench);
      const room = 64 - `${stand.schema}.`.length;
      const count = length.includes('64') ? room : length.includes('65') ? room + 1 : 3;
      const name = letter.repeat(length.includes('200') ? 200 : count);
      await stand.run(`INSERT INTO text_keyed_jobs VALUES (1, 1, '${name}', 1, '1')`);
      const client = await stand.connection();
      const bound = { candidates: 1 };
      const { rows } = await runStatement(client, bench.name, textKeyedJobSpec, 'claim', bound);
      const whole = `${stand.schema}.${name}`;
      expect(rows).toEqual([[plain ? whole : sha256(whole), name, '1', '1']]);
      const [lock = null] = rows[0] ?? [];
      const used = await stand.rows(`SELECT IS_USED_LOCK('${lock}') AS session`);
      expect(used).toEqual([{ session: String(client.threadId) }]);
    });

    it.each([
      ['differ in case', 'Alpha', 'alpha', bench.name === 'mysql'],
      ['differ in trailing blanks', 'alpha', 'alpha  ', true],
      ['differ in accents', 'u', 'ü', false],
    ])('that %s are both worked in the end', async (_, one, two, shared) => {
      const stand = await openStand(bench);
      await stand.run(
        `INSERT INTO text_keyed_jobs VALUES (1, 1, '${one}', 1, '1'), (2, 1, '${two}', 1, '1')`,
      );
      const [client, other] = [await stand.connection(), await stand.connection()];
      const claim = async (connection: typeof client): Promise<readonly (string | null)[]> => {
        const bound = { candidates: 9 };
        const answer = await runStatement(connection, bench.name, textKeyedJobSpec, 'claim', bound);
        return answer.rows[0] ?? [];
      };
      const [lock, , tenant, n] = await claim(client);
      expect(n).toBe('1');
      const [, , , early] = await claim(other);
      expect(early).toBe(shared ? undefined : '2');
      if (!shared) return;
      const fence = { lock, key1: tenant, key2: n };
      await runStatement(client, bench.name, textKeyedJobSpec, 'count', fence);
      const ack = { ...fence, attempt: '2' };
      expect((await runStatement(client, bench.name, textKeyedJobSpec, 'ack', ack)).count).toBe(1);
      await runStatement(client, bench.name, textKeyedJobSpec, 'unlock', fence);
      const [, , , late] = await claim(other);
      expect(late).toBe('2');
    });
  });
}
