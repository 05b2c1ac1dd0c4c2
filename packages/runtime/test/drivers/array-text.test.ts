import { describe, expect, it } from 'vitest';

import { arrayText } from '../../src/drivers/pg/array-text.js';
import type { Cell } from '../../src/v1.js';
import { postgresJobs } from '../support/postgres-jobs.js';

const hostile: readonly Cell[] = [
  '',
  'NULL',
  'null',
  '{}',
  'a,b',
  'say "so"',
  'back\\slash',
  ' blank ',
  '12',
  '-0',
  "it's é",
  null,
];

describe('array text', () => {
  it('arrives in Postgres as it was, whatever is in it', async () => {
    const jobs = await postgresJobs();
    const text = arrayText(hostile.length, (index) => hostile[index]);
    const { rows } = await jobs.pool().query({
      text: 'SELECT unnest($1::text[])',
      values: [text],
      rowMode: 'array',
    });
    expect(rows.flat()).toEqual(hostile);
  });

  it('carries numbers and bytes', async () => {
    const jobs = await postgresJobs();
    const cells: Cell[] = [9_007_199_254_740_993n, 0.1, Uint8Array.of(0, 92, 255)];
    const { rows } = await jobs.pool().query({
      text: "SELECT ($1::text[])[1]::bigint::text, ($1::text[])[2], encode(($1::text[])[3]::bytea, 'hex')",
      values: [arrayText(3, (index) => cells[index])],
      rowMode: 'array',
    });
    expect(rows[0]).toEqual(['9007199254740993', '0.1', '005cff']);
  });
});
