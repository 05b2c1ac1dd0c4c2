import { describe, expect, it } from 'vitest';

import { isBusy, isTransient } from '../../src/drivers/better-sqlite3/failure.js';
import { failureKind } from '../../src/drivers/pg/failure.js';

const withCode = (code: unknown): Error => Object.assign(new Error('it failed'), { code });

describe('failures', () => {
  it.each([
    ['40001', 'again'],
    ['40P01', 'again'],
    ['55P03', 'again'],
    ['08006', 'connection'],
    ['57P01', 'connection'],
    ['ECONNRESET', 'connection'],
    ['EPIPE', 'connection'],
    [undefined, 'connection'],
    ['26000', 'unprepared'],
    ['57014', 'transient'],
    ['53300', 'transient'],
    ['23503', 'statement'],
    ['P0001', 'statement'],
  ])('of Postgres with code %s are of kind %s', (code, kind) => {
    expect(failureKind(withCode(code))).toBe(kind);
  });

  it('of SQLite that waiting mends are told from others', () => {
    expect(isBusy(withCode('SQLITE_BUSY_RECOVERY'))).toBe(true);
    expect(isBusy(withCode('SQLITE_CONSTRAINT'))).toBe(false);
    expect(isTransient(withCode('SQLITE_FULL'))).toBe(true);
    expect(isTransient(withCode('SQLITE_CONSTRAINT_FOREIGNKEY'))).toBe(false);
  });
});
