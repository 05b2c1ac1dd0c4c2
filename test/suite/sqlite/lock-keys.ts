import { describe, expect, it } from 'vitest';

import { sqliteBench } from '../../databases/sqlite.js';
import { caselessKeyedJobSpec, keyedJobSpec, oddlyKeyedJobSpec } from '../../generated/index.js';
import { statementOf, valuesOf, type AnySpec } from '../locks/bound.js';
import { openStand } from '../support.js';

/** What the candidates of a spec are while some keys are in work: their keys, and their ids. */
function candidates(
  handle: ReturnType<Awaited<ReturnType<typeof sqliteBench.open>>['handle']>,
  spec: AnySpec,
  inWork: readonly string[],
): readonly unknown[] {
  const statement = statementOf(spec, 'sqlite', 'candidates');
  const bound = { candidates: 10, inWork: JSON.stringify(inWork) };
  return handle.prepare(statement.text).raw().all(valuesOf(statement, bound));
}

/** Which keys SQLite says that rows have, and which of them it leaves out. */
export function describeLockKeys(): void {
  describe('lock keys on sqlite', () => {
    it('of every type are the text that the template says, and are left out while in work', async () => {
      const stand = await openStand(sqliteBench);
      await stand.run(
        "INSERT INTO oddly_keyed_jobs VALUES (1, 'né''x \\ 😀', 'ab', TRUE, 1234567890123456789)",
      );
      const key = 'it\'s \\n "<é😀>" :key $1 ? `%s` né\'x \\ 😀/ab/1/1234567890123456789';
      const handle = stand.handle();
      expect(candidates(handle, oddlyKeyedJobSpec, [])).toEqual([[key, 1]]);
      expect(candidates(handle, oddlyKeyedJobSpec, ['other', key])).toEqual([]);
    });

    it('are told apart byte for byte, whatever the collation of their column', async () => {
      const stand = await openStand(sqliteBench);
      await stand.run("INSERT INTO caseless_keyed_jobs VALUES (1, 'Alpha'), (2, 'alpha')");
      expect(candidates(stand.handle(), caselessKeyedJobSpec, ['Alpha'])).toEqual([['alpha', 2]]);
    });

    it('are numbers beyond what JavaScript holds', async () => {
      const stand = await openStand(sqliteBench);
      await stand.run(
        `INSERT INTO keyed_jobs (account_id, payload)
         VALUES (9007199254740992, '1'), (9007199254740993, '1'), (-9223372036854775808, '1')`,
      );
      const handle = stand.handle();
      expect(candidates(handle, keyedJobSpec, ['jobs-9007199254740992'])).toEqual([
        ['jobs-9007199254740993', 2],
        ['jobs--9223372036854775808', 3],
      ]);
    });

    it('lead past as many rows as are in work', async () => {
      const stand = await openStand(sqliteBench);
      const rows = Array.from({ length: 500 }, (_, n) => `(${n}, '1')`);
      await stand.run(`INSERT INTO keyed_jobs (account_id, payload) VALUES ${rows.join(', ')}`);
      const inWork = Array.from({ length: 499 }, (_, n) => `jobs-${n}`);
      expect(candidates(stand.handle(), keyedJobSpec, inWork)).toEqual([['jobs-499', 500]]);
    });
  });
}
