import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ListStatement, Statement } from '../../../src/dialects/statements.js';
import {
  familyServers,
  openFamilyDatabase,
  type Cells,
  type FamilyConnection,
  type FamilyDatabase,
  type FamilyServer,
  type Given,
} from '../../support/mysql-servers.js';
import { resolvedLease } from '../../support/resolving.js';
import { readOne } from '../reading.js';

/** A queue's table made on the server, and its statements. */
interface Queue {
  readonly connection: FamilyConnection;
  readonly call: (
    name: string,
    values?: Readonly<Record<string, Given>>,
    each?: readonly Readonly<Record<string, Given>>[],
  ) => Promise<readonly Cells[]>;
  readonly statement: (name: string) => Statement | ListStatement;
}

/** The ways to keep an expiry, by the column's type, and the length of their unit in milliseconds. */
const storages: readonly (readonly [string, number])[] = [
  ['DATETIME', 1000],
  ['DATETIME(3)', 1],
  ['DATETIME(6)', 0.001],
  ['TIMESTAMP NULL', 1000],
  ['TIMESTAMP(6) NULL', 0.001],
  ['INT UNSIGNED /* @epoch s */', 1000],
  ['BIGINT /* @epoch ms */', 1],
  ['BIGINT UNSIGNED /* @epoch us */', 0.001],
];

/** Settings of a session that no statement may depend on. */
const sessions: readonly (readonly string[])[] = [
  ["time_zone = '+00:00'"],
  ["time_zone = '+05:30'", "sql_mode = ''"],
  [
    "time_zone = '-08:00'",
    "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,PIPES_AS_CONCAT'",
  ],
];

const lease = 60_000;

describe.each(familyServers)('the statements of $dialect.name', (server) => {
  let database: FamilyDatabase;

  beforeAll(async () => {
    database = await openFamilyDatabase(server);
  });

  afterEach(() => database.disconnect());

  afterAll(() => database.close());

  const open = async (
    table: string,
    settings: readonly string[] = [],
    head = '',
  ): Promise<Queue> => {
    const connection = await database.connect(settings);
    const queue = queueOn(server, connection, `CREATE TABLE jobs (${table})`, head);
    await connection.run('DROP TABLE IF EXISTS jobs');
    await connection.run(`CREATE TABLE jobs (${table})`);
    return queue;
  };

  describe.each(storages)('with an expiry of %s', (type, unit) => {
    it.each(sessions)('hold and give back rows in a session with %s %s', async (...settings) => {
      const queue = await open(
        `id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT, attempt INT NOT NULL DEFAULT 1, locked_until ${type}`,
        settings,
      );
      await queue.call('insert', {}, [{ column1: '1' }, { column1: '2' }, { column1: '3' }]);
      const started = await clock(queue);
      const claimed = await claim(queue, 2);
      const ended = await clock(queue);
      expect(claimed.map(([id, , attempt, n]) => [id, attempt, n])).toEqual([
        ['1', '2', '1'],
        ['2', '2', '2'],
      ]);
      const held = heldOf(claimed);
      const moment = await momentOf(queue, 1);
      expect(moment).toBeGreaterThanOrEqual(started + lease - 0.001);
      expect(moment).toBeLessThan(ended + lease + 2 * unit);

      // What is held is not due, and what `own` reads is what the claim wrote.
      expect((await claim(queue, 9)).map(([id]) => id)).toEqual(['3']);
      const owned = await queue.call('own', { lease: 2 * lease }, keys('1', '2'));
      expect(owned.map((row) => row.slice(0, 3))).toEqual([
        ['1', held, '2'],
        ['2', held, '2'],
      ]);
      expect(await queue.call('seen', {}, keys('2'))).toEqual([['2', held, '2']]);

      const until = owned[0]?.[3] ?? null;
      await queue.call('extend', { held: until }, keys('1', '1', '2'));
      expect((await queue.call('seen', {}, keys('1', '2'))).map(([, text]) => text)).toEqual([
        until,
        until,
      ]);
      expect((await momentOf(queue, 1)) - moment).toBeGreaterThan(lease - 1 - unit);

      await queue.call('release', {}, keys('1'));
      await queue.call('retry', { after: null }, keys('2'));
      await queue.call('ack', {}, keys('3', '3'));
      expect(await queue.call('seen', {}, keys('1', '2', '3'))).toEqual([
        ['1', null, '1'],
        ['2', null, '2'],
      ]);
      await queue.call('retry', { after: lease }, keys('2'));
      expect(await queue.call('due', { candidates: '0' })).toEqual([['1']]);
      expect(await queue.call('due', { candidates: '1' })).toEqual([]);
      expect((await claim(queue, 9)).map(([id, , attempt]) => [id, attempt])).toEqual([['1', '2']]);
    });
  });

  it.each(['TIMESTAMP NULL', 'TIMESTAMP(6) NULL', 'DATETIME(6)', 'BIGINT'])(
    'know both hours of an autumn night apart with %s',
    async (type) => {
      const queue = await open(`id INT PRIMARY KEY, locked_until ${type}`);
      await queue.connection.run('INSERT INTO jobs (id) VALUES (1)');
      await withAutumn(queue.connection, async () => {
        // 02:30 in summer time, then 02:30 in winter time, an hour later.
        for (const now of [autumn - 1800, autumn + 1800]) {
          await queue.connection.run(`SET timestamp = ${now}`);
          const [row] = await claim(queue, 1);
          expect(row?.[0]).toBe('1');
          expect(await claim(queue, 1)).toEqual([]);
          expect(await momentOf(queue, 1)).toBe((now + lease / 1000) * 1000);
          const [owned] = await queue.call('own', { lease }, keys('1'));
          expect(owned?.[1]).toBe(row?.[1]);
          // It ends a minute later, whichever hour it is.
          await queue.connection.run(`SET timestamp = ${now + lease / 1000 - 1}`);
          expect(await claim(queue, 1)).toEqual([]);
          await queue.connection.run(`SET timestamp = ${now + lease / 1000}`);
          expect(await claim(queue, 1)).toHaveLength(1);
          await queue.call('retry', { after: null }, keys('1'));
        }
        await queue.connection.run('SET timestamp = DEFAULT');
      });
    },
  );

  it('take "now" from the host with @clock host', async () => {
    for (const [type] of storages) {
      const queue = await open(`id INT PRIMARY KEY, locked_until ${type}`, [], '-- @clock host');
      await queue.connection.run('INSERT INTO jobs (id) VALUES (1)');
      const now = Date.UTC(2031, 0, 1, 0, 0, 0, 500);
      expect(await claim(queue, 1, { now: String(now) })).toHaveLength(1);
      const seconds = type.includes('(') || type.includes('ms') || type.includes('us') ? 0 : 500;
      expect(await momentOf(queue, 1), type).toBe(now + lease + seconds);
      expect(await claim(queue, 1, { now: String(now + lease - 1) })).toEqual([]);
      expect(await claim(queue, 1, { now: String(now + lease + seconds) })).toHaveLength(1);
    }
  });

  it('count from the start where an attempt is NULL', async () => {
    const queue = await open(
      'id INT PRIMARY KEY, attempt SMALLINT DEFAULT 0, locked_until DATETIME(6)',
    );
    await queue.connection.run('INSERT INTO jobs (id, attempt) VALUES (1, NULL)');
    const [row] = await claim(queue, 1);
    expect(row?.[2]).toBe('1');
    expect((await queue.call('own', { lease }, keys('1')))[0]?.[2]).toBe('1');
    await queue.call('release', {}, keys('1'));
    expect((await queue.call('seen', {}, keys('1')))[0]?.[2]).toBe('0');
  });

  it.each(keyTypes[server.variable])('find rows by a key of %s', async (type, given, other) => {
    const queue = await open(`id ${type} PRIMARY KEY, n INT NOT NULL, locked_until DATETIME(6)`);
    const values = [...given, other];
    for (const [n, value] of values.entries()) {
      await queue.call('insert', {}, [{ column1: value, column2: String(n) }]);
    }
    const claimed = await claim(queue, values.length);
    expect(claimed).toHaveLength(values.length);
    const held = heldOf(claimed);
    for (const [key, , n] of claimed) {
      if (key === undefined) throw new Error('no key');
      // A list is padded by repeating a key, whose row may then be answered twice.
      const owned = await queue.call('own', { lease }, [{ key1: key }, { key1: key }]);
      expect(new Set(owned.map((row) => row.slice(0, 2).join(' ')))).toEqual(
        new Set([`${key} ${held}`]),
      );
      expect(await queue.call('seen', {}, [{ key1: key }])).toEqual([[key, held]]);
      await queue.call('release', {}, [{ key1: key }, { key1: key }]);
      const free = await queue.connection.rows('SELECT n FROM jobs WHERE locked_until IS NULL');
      expect(free).toEqual([[n]]);
      await queue.call('extend', { held }, [{ key1: key }]);
    }
    const [first, second] = claimed;
    await queue.call('ack', {}, [{ key1: first?.[0] ?? null }, { key1: second?.[0] ?? null }]);
    expect(await queue.connection.rows('SELECT COUNT(*) FROM jobs')).toEqual([
      [String(values.length - 2)],
    ]);
  });

  it('find rows by a key of several columns', async () => {
    const queue = await open(
      'tenant BIGINT UNSIGNED, n BINARY(2), name VARCHAR(20) CHARACTER SET latin1, locked_until DATETIME(3), PRIMARY KEY (tenant, n, name)',
    );
    const tenant = '18446744073709551615';
    const rows = [
      { column1: tenant, column2: Buffer.from([0, 255]), column3: 'é' },
      { column1: tenant, column2: Buffer.from([0, 255]), column3: 'f' },
      { column1: '18446744073709551614', column2: Buffer.from([0, 255]), column3: 'é' },
    ];
    await queue.call('insert', {}, rows);
    expect(await claim(queue, 9)).toHaveLength(3);
    const key = { key1: tenant, key2: '00FF', key3: 'é' };
    expect(await queue.call('own', { lease }, [key])).toHaveLength(1);
    await queue.call('release', {}, [key]);
    const again = await claim(queue, 9);
    expect(again.map((row) => row.slice(0, 3))).toEqual([[tenant, '00FF', 'é']]);
    await queue.call('ack', {}, [key, { ...key, key3: 'f' }]);
    expect(await queue.connection.rows('SELECT tenant FROM jobs')).toEqual([
      ['18446744073709551614'],
    ]);
  });

  it.each([3, 30, 300, 20_000])('lock what they name and no more, of %i rows', async (size) => {
    const queue = await open(
      'id BIGINT AUTO_INCREMENT PRIMARY KEY, note VARCHAR(50), locked_until DATETIME(6)',
    );
    await fill(queue, size);
    const other = await database.connect(['innodb_lock_wait_timeout = 1']);
    await begin(queue.connection);
    const claimed = await claimRows(queue, 2);
    expect(claimed.map(([id]) => id)).toEqual(['1', '2']);
    // One server shows what it last looked up until nobody has asked for a tenth of a second.
    const locked = (): Promise<number> => lockedRows(server, queue.connection);
    await expect.poll(locked, { interval: 250, timeout: 5_000 }).toBe(2);

    const second = queueOn(server, other, jobsOfNotes);
    await begin(other);
    expect((await claimRows(second, 1)).map(([id]) => id)).toEqual(['3']);
    await second.call('stamp', { held: '2099-01-01 00:00:00.000000' }, keys('3'));
    // Of a long list it owns what is free, without waiting for the rest.
    const list = keys(...Array.from({ length: Math.min(size, 64) }, (_, i) => String(i + 1)));
    expect(await second.call('own', { lease }, list)).toHaveLength(Math.min(size, 64) - 2);
    await second.call('extend', { held: '2099-01-01 00:00:00.000000' }, list.slice(2));
    await second.call('release', {}, list.slice(2));
    await second.call('retry', { after: lease }, list.slice(2));
    await second.call('ack', {}, keys(...new Array<string>(64).fill('3')));
    await other.run('COMMIT');
    await queue.connection.run('ROLLBACK');
    expect(await second.call('seen', {}, keys('3'))).toEqual([]);
  });

  it('take the defaults of the DDL where a new row gives nothing', async () => {
    const queue = await open(
      `id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
       big BIGINT UNSIGNED NOT NULL DEFAULT 7, flag BOOL NOT NULL DEFAULT TRUE,
       note VARCHAR(20) DEFAULT 'it\\'s', body JSON NOT NULL DEFAULT (JSON_OBJECT('k', 1)),
       raw VARBINARY(20) NOT NULL DEFAULT 'abc', price DECIMAL(30, 10) DEFAULT 1.5, ratio DOUBLE DEFAULT 0.5,
       kind ENUM('a', 'b') NOT NULL DEFAULT 'b', made DATETIME DEFAULT NOW(), seen TIMESTAMP(6) NULL DEFAULT NOW(6),
       plain BIGINT UNSIGNED, bits VARBINARY(3), locked_until DATETIME(6)`,
      ["time_zone = '+05:30'"],
    );
    const given = [
      '18446744073709551615',
      '0',
      'x',
      '{"a":[1,"\\\\u00e9"]}',
      Buffer.from([0, 255, 128]),
      '12345678901234567890.0123456789',
      0.1,
      'a',
      '2026-01-01T00:00:00.999Z',
      '2026-01-01T00:00:00.123Z',
    ];
    const cells = (values: readonly (Given | undefined)[]): Record<string, Given> =>
      Object.fromEntries(
        values.flatMap((value, index) => [
          [`column${2 * index + 1}`, value === undefined ? '0' : '1'],
          [`column${2 * index + 2}`, value ?? null],
        ]),
      );
    const more = { column21: '18446744073709551615', column22: Buffer.from([254]) };
    const started = await clock(queue);
    await queue.call('insert', {}, [
      { ...cells(given), ...more },
      { ...cells(given.map(() => undefined)), column21: null, column22: null },
    ]);
    const [first, second] = await claim(queue, 2);
    expect(first?.[2]).toBe('18446744073709551615');
    expect([first?.[3], first?.[4], JSON.parse(first?.[5] ?? '') as unknown]).toEqual([
      '0',
      'x',
      { a: [1, '\\u00e9'] },
    ]);
    expect(first?.slice(6)).toEqual([
      '00FF80',
      '12345678901234567890.0123456789',
      '0.1',
      'a',
      '2026-01-01T00:00:00.000000Z',
      '2026-01-01T00:00:00.123000Z',
      '18446744073709551615',
      'FE',
    ]);
    expect(second?.slice(2, 5)).toEqual(['7', '1', "it's"]);
    expect(JSON.parse(second?.[5] ?? '')).toEqual({ k: 1 });
    expect(second?.slice(6, 10)).toEqual(['616263', '1.5000000000', '0.5', 'b']);
    for (const cell of second?.slice(10, 12) ?? []) {
      expect(Math.abs(Date.parse(cell ?? '') - started)).toBeLessThan(5_000);
    }
    expect(second?.slice(12)).toEqual([null, null]);
  });

  it('insert into a table that takes no value, and into one of any name', async () => {
    const bare = await open('id INT AUTO_INCREMENT PRIMARY KEY, locked_until DATETIME(6)');
    await bare.call('insert', {}, [{}, {}]);
    expect((await claim(bare, 5)).map(([id]) => id)).toEqual(['1', '2']);

    const connection = await database.connect(["sql_mode = 'ANSI_QUOTES'"]);
    const name = '`count``\\ "?" ${x}`';
    const ddl = `CREATE TABLE ${name} (\`order\` INT AUTO_INCREMENT PRIMARY KEY, \`a\\\`\`?b\` INT, locked_until DATETIME(6))`;
    const queue = queueOn(server, connection, ddl);
    await connection.run(ddl);
    await queue.call('insert', {}, [{ column1: '5' }]);
    const [row] = await claim(queue, 1);
    expect(row?.slice(2)).toEqual(['5']);
    await queue.call('ack', {}, keys('1'));
    expect(await connection.rows(`SELECT COUNT(*) FROM ${name}`)).toEqual([['0']]);
  });

  it('say what the key of an inserted row is', async () => {
    const queue = await open(
      'tenant INT NOT NULL DEFAULT 3, n INT AUTO_INCREMENT, name VARCHAR(9) NOT NULL, locked_until DATETIME, attempt INT DEFAULT 1, KEY (n), PRIMARY KEY (name, n, tenant)',
    );
    const statement = queue.statement('insert');
    if ('text' in statement) throw new Error('the insert takes no list');
    const rows = await queue.call('insert', {}, [
      { column1: '1', column2: '4', column3: 'a' },
      { column1: '1', column2: '5', column3: 'b' },
    ]);
    if (statement.key === undefined) {
      expect(rows).toEqual([
        ['a', '1', '4'],
        ['b', '2', '5'],
      ]);
    } else {
      expect(statement.key).toEqual(['column3', 'generated', 'column2']);
      expect(await queue.connection.rows('SELECT LAST_INSERT_ID()')).toEqual([['1']]);
    }
    expect((await claim(queue, 2)).map((row) => row.slice(0, 3))).toEqual([
      ['a', '1', '4'],
      ['b', '2', '5'],
    ]);
  });
});

const jobsOfNotes =
  'CREATE TABLE jobs (id BIGINT AUTO_INCREMENT PRIMARY KEY, note VARCHAR(50), locked_until DATETIME(6))';

type KeyType = readonly [type: string, given: readonly Given[], other: Given];

const keyTypesOfBoth: readonly KeyType[] = [
  ['BIGINT', ['9223372036854775807', '9223372036854775806', '-9223372036854775808'], '0'],
  ['BIGINT UNSIGNED', ['18446744073709551615', '18446744073709551614'], '9223372036854775808'],
  ['INT UNSIGNED ZEROFILL', ['4294967295', '7'], '1'],
  ['VARCHAR(50) CHARACTER SET utf8mb4', ['a', 'é', 'ẞ😀'], "it's \\ %"],
  ['VARCHAR(50) COLLATE utf8mb4_bin', ['a', 'A', 'á', 'ß'], 'ss'],
  ['VARCHAR(50) CHARACTER SET latin1', ['a', 'é', '£'], 'z'],
  ['VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_bin', ['a', 'A', 'é'], 'É'],
  ['CHAR(10) CHARACTER SET ascii', ['a', 'b'], 'c'],
  ['VARCHAR(9) CHARACTER SET ucs2', ['a', 'é'], 'ж'],
  ['BINARY(16)', [Buffer.alloc(16, 0), Buffer.alloc(16, 255)], Buffer.from('0123456789abcdef')],
  ['VARBINARY(16)', [Buffer.from([0]), Buffer.from([0, 0])], Buffer.from([255, 0])],
  ['DECIMAL(40, 10)', ['123456789012345678901234567890.0000000001', '1.5'], '-1'],
  ["ENUM('b', 'a', 'C')", ['a', 'b'], 'C'],
  ['DATE', ['2026-01-01', '2026-01-02'], '1000-01-01'],
  [
    'DATETIME(3)',
    ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'],
    '2026-10-25T01:30:00.000Z',
  ],
  [
    'TIMESTAMP(6)',
    ['2026-01-01T00:00:00.001Z', '2026-10-25T00:30:00.000Z'],
    '2026-10-25T01:30:00.000Z',
  ],
  ['TINYINT(1)', ['0', '1'], '2'],
];

const keyTypes: Readonly<Record<FamilyServer['variable'], readonly KeyType[]>> = {
  MYSQL_URL: keyTypesOfBoth,
  MARIADB_URL: [
    ...keyTypesOfBoth,
    [
      'UUID',
      ['00000000-0000-0000-0000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      '123e4567-e89b-12d3-a456-426655440000',
    ],
    ['INET6', ['::1', 'fe80::1'], '2001:db8::ff'],
  ],
};

/** The statements of the one table of a DDL, over a connection. */
function queueOn(
  { dialect }: FamilyServer,
  connection: FamilyConnection,
  ddl: string,
  head = '',
): Queue {
  const { value } = resolvedLease(readOne(dialect, `${head}\n-- @inbox lease Job\n${ddl};`));
  if (value === undefined) throw new Error(`no queue: ${ddl}`);
  const { entries } = dialect.leaseStatements(value);
  const statement = (name: string): Statement | ListStatement => {
    const entry = entries.find((candidate) => candidate.name === name);
    if (entry === undefined) throw new Error(`no statement ${name}`);
    return entry.statement;
  };
  return {
    connection,
    statement,
    call: (name, values, each) => connection.execute(statement(name), values, each),
  };
}

async function begin(connection: FamilyConnection): Promise<void> {
  await connection.run('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await connection.run('START TRANSACTION');
}

function claimRows(
  queue: Queue,
  limit: number,
  values: Readonly<Record<string, Given>> = {},
): Promise<readonly Cells[]> {
  const candidates = String(limit + 8);
  return queue.call('claim', { lease, limit: String(limit), candidates, ...values });
}

/** Claims and stamps, as the runtime does. */
async function claim(
  queue: Queue,
  limit: number,
  values: Readonly<Record<string, Given>> = {},
): Promise<readonly Cells[]> {
  await begin(queue.connection);
  const rows = await claimRows(queue, limit, values);
  if (rows.length > 0) {
    const stamp = queue.statement('stamp');
    const width = 'text' in stamp ? 0 : stamp.each.length;
    const each = rows.map((row) =>
      Object.fromEntries(row.slice(0, width).map((cell, index) => [`key${index + 1}`, cell])),
    );
    await queue.call('stamp', { held: rows[0]?.[width] ?? null }, each);
  }
  await queue.connection.run('COMMIT');
  return rows;
}

/** The one expiry of a claim's rows. */
function heldOf(rows: readonly Cells[]): string {
  const held = [...new Set(rows.map(([, text]) => text))];
  expect(held).toHaveLength(1);
  return held[0] ?? '';
}

function keys(...values: readonly string[]): readonly Readonly<Record<string, Given>>[] {
  return values.map((key1) => ({ key1 }));
}

/** The server's clock in milliseconds since the epoch. */
async function clock(queue: Queue): Promise<number> {
  const [row] = await queue.connection.rows(
    "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
  );
  return Number(row?.[0]) / 1000;
}

/** The moment in a row's expiry column, in milliseconds, told by the server from what it keeps. */
async function momentOf(queue: Queue, id: number): Promise<number> {
  const [type] = await queue.connection.rows(
    "SELECT DATA_TYPE, DATETIME_PRECISION FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'jobs' AND COLUMN_NAME = 'locked_until'",
  );
  const expression =
    type?.[0] === 'timestamp'
      ? 'UNIX_TIMESTAMP(locked_until) * 1000'
      : type?.[0] === 'datetime'
        ? "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', locked_until) / 1000"
        : 'locked_until';
  const [row] = await queue.connection.rows(`SELECT ${expression} FROM jobs WHERE id = ${id}`);
  const value = Number(row?.[0]);
  if (type?.[0] === 'int') return value * 1000;
  return value > 1e14 ? value / 1000 : value;
}

async function fill(queue: Queue, size: number): Promise<void> {
  for (let done = 0; done < size; done += 1000) {
    const each = Array.from({ length: Math.min(1000, size - done) }, () => ({ column1: 'x' }));
    await queue.call('insert', {}, each);
  }
}

/** How many rows the connection's transaction has locked, from the server's own tables. */
async function lockedRows(
  { variable }: FamilyServer,
  connection: FamilyConnection,
): Promise<number> {
  const [row] = await connection.rows(
    variable === 'MYSQL_URL'
      ? `SELECT COUNT(*) FROM performance_schema.data_locks AS l
         JOIN performance_schema.threads AS t ON t.THREAD_ID = l.THREAD_ID
         WHERE t.PROCESSLIST_ID = CONNECTION_ID() AND l.LOCK_TYPE = 'RECORD'`
      : `SELECT trx_rows_locked FROM information_schema.INNODB_TRX
         WHERE trx_mysql_thread_id = CONNECTION_ID()`,
  );
  return Number(row?.[0]);
}

/** When clocks in Berlin went back in 2026, in seconds since the epoch. */
const autumn = Date.UTC(2026, 9, 25, 1) / 1000;

/** Runs in a session zone whose clocks go back at `autumn`; makes one where the server knows none. */
async function withAutumn(connection: FamilyConnection, run: () => Promise<void>): Promise<void> {
  const own = `Inbox/${process.pid}`;
  const known = await connection.run("SET time_zone = 'Europe/Berlin'").then(
    () => true,
    () => false,
  );
  if (known) {
    await run();
    return;
  }
  await connection.run("INSERT INTO mysql.time_zone (Use_leap_seconds) VALUES ('N')");
  const [row] = await connection.rows('SELECT LAST_INSERT_ID()');
  const id = row?.[0] ?? '';
  try {
    await connection.run(`INSERT INTO mysql.time_zone_name VALUES ('${own}', ${id})`);
    await connection.run(
      `INSERT INTO mysql.time_zone_transition_type VALUES (${id}, 0, 3600, 0, 'CET'), (${id}, 1, 7200, 1, 'CEST')`,
    );
    await connection.run(
      `INSERT INTO mysql.time_zone_transition VALUES (${id}, 1774746000, 1), (${id}, ${autumn}, 0)`,
    );
    await connection.run(`SET time_zone = '${own}'`);
    await run();
  } finally {
    await connection.run("SET timestamp = DEFAULT, time_zone = '+00:00'");
    for (const table of ['time_zone', 'time_zone_transition_type', 'time_zone_transition']) {
      await connection.run(`DELETE FROM mysql.${table} WHERE Time_zone_id = ${id}`);
    }
    await connection.run(`DELETE FROM mysql.time_zone_name WHERE Name = '${own}'`);
  }
}
