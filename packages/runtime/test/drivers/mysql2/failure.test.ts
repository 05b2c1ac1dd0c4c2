import { describe, expect, it } from 'vitest';

import { errorNumber, failureKind } from '../../../src/drivers/mysql2/failure.js';

const server = (errno: number): Error => Object.assign(new Error('of the server'), { errno });

describe('an error of MySQL or MariaDB', () => {
  it.each([
    ['a deadlock', server(1213), 'again'],
    ['a lock wait', server(1205), 'again'],
    ['a transaction that somebody left open', server(1568), 'again'],
    ['a session that was killed', server(1927), 'connection'],
    ['a server that shuts down', server(1053), 'connection'],
    ['a read-only server', server(1290), 'transient'],
    ['a full table', server(1114), 'transient'],
    ['a duplicate key', server(1062), 'statement'],
    ['an unknown column', server(1054), 'statement'],
    // The system's own numbers are negative.
    ['a refused connection', Object.assign(server(-111), { code: 'ECONNREFUSED' }), 'connection'],
    [
      "a closed connection's",
      new Error("Can't add new command when connection is in closed state"),
      'connection',
    ],
    ['no error at all', undefined, 'connection'],
  ] as const)('%s', (_, error, kind) => {
    expect(failureKind(error)).toBe(kind);
  });

  it('has a number where the server sent it', () => {
    expect(errorNumber(server(1146))).toBe(1146);
    expect(errorNumber(server(-104))).toBeUndefined();
    expect(errorNumber('1146')).toBeUndefined();
  });
});
