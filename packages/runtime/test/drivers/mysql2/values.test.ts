import { describe, expect, it } from 'vitest';

import { systemClock } from '../../../src/clock/clock.js';
import { insertBinder, listBinder, queryBinder } from '../../../src/drivers/mysql2/values.js';
import { list, type ListStatement } from '../../../src/statement.js';

const shape = { keyWidth: 2, counted: true };
const statement: ListStatement = {
  text: (rows) => `? [${list('(?, ?)', ', ', rows)}]`,
  values: ['after'],
  each: ['key1', 'key2'],
};

describe('the values of a statement', () => {
  it('are filled up with NULL to one of a few lengths', () => {
    const bind = listBinder(statement, shape, systemClock);
    const row = ['a', '1', 'held', '2'];
    const texts = new Set<string>();
    for (let count = 1; count <= 500; count += 1) {
      const queries = bind({ after: 5 }, Array<string[]>(count).fill(row));
      for (const { sql, values } of queries) {
        texts.add(sql);
        expect(values).toHaveLength(sql.split('?').length - 1);
      }
      const keys = queries.flatMap(({ values }) => values.slice(1));
      expect(keys.filter((value) => value === 'a')).toHaveLength(count);
      expect(keys.filter((value) => value !== null)).toHaveLength(2 * count);
    }
    expect(texts.size).toBe(5);
  });

  it('come in the order of the text, each as the server shall see it', () => {
    const [query] = listBinder(statement, shape, systemClock)({ after: null }, [['a', '1', 'h']]);
    expect(query?.values).toEqual([null, 'a', '1']);
    const bytes = Uint8Array.of(1, 2, 3).subarray(1);
    const insert = insertBinder(
      {
        text: String,
        values: [],
        each: ['column1', 'column2', 'column3', 'column4', 'column5', 'column6'],
      },
      systemClock,
    );
    expect(insert([[18_446_744_073_709_551_615n, 0.1, NaN, 'x', bytes, null]]).values).toEqual([
      ...['18446744073709551615', 0.1, 'NaN', 'x', Buffer.from([2, 3]), null],
    ]);
  });

  it("of a host's clock are whole milliseconds", () => {
    const clock = { ...systemClock, wall: () => 1_700_000_000_000.9 };
    const bind = queryBinder({ text: '? ?', values: ['now', 'limit'] }, clock);
    expect(bind({ limit: 3 }).values).toEqual(['1700000000000', '3']);
  });

  it('that a statement of the kind cannot have are an error', () => {
    const bind = queryBinder({ text: '?', values: ['key1'] }, systemClock);
    expect(() => bind({})).toThrow('key1');
  });
});
