import {
  LeaseQueue,
  readBigint,
  readInteger,
  readJson,
  writeJson,
  type InboxDatabase,
  type LeaseSpec,
  type QueueOptions,
  type Statement,
} from '../../src/v1.js';

/** A row of the table that the runtime's own tests work. */
export interface Job {
  readonly id: bigint;
  readonly attempt: number;
  readonly payload: unknown;
}

/** A new row. */
export interface NewJob {
  readonly payload: unknown;
}

/** The table on Postgres, without its schema. */
export const postgresTable = `
CREATE TABLE jobs (
  id           BIGSERIAL   PRIMARY KEY,
  attempt      SMALLINT    NOT NULL DEFAULT 1,
  locked_until TIMESTAMPTZ,
  payload      JSONB       NOT NULL
);
CREATE TABLE job_notes (job_id BIGINT NOT NULL REFERENCES jobs (id));`;

/** The same on SQLite. */
export const sqliteTable = `
CREATE TABLE jobs (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  attempt      INTEGER NOT NULL DEFAULT 1,
  locked_until INTEGER,
  payload      TEXT    NOT NULL
);
CREATE TABLE job_notes (job_id INTEGER NOT NULL REFERENCES jobs (id));`;

function settle(
  lock: string,
  write: string,
  extra = { values: [] as string[], answer: '' },
): Statement {
  const after = extra.values.includes('after');
  return {
    values: ['key1', 'held', 'attempt', ...extra.values] as Statement['values'],
    text: `
WITH inbox_asked AS MATERIALIZED (
  SELECT *
  FROM unnest($1::bigint[], $2::bigint[], $3::smallint[]${after ? ', $4::float8[]' : ''})
    WITH ORDINALITY AS inbox_row (key1, held, attempt${after ? ', after' : ''}, n)
),
inbox_owned AS MATERIALIZED (
  SELECT inbox_job.id, inbox_asked.n${after ? ', inbox_asked.after' : ''}
  FROM inbox_asked
  JOIN jobs AS inbox_job
    ON inbox_job.id = inbox_asked.key1
    AND inbox_job.locked_until = timestamptz 'epoch' + inbox_asked.held * interval '1 microsecond'
    AND inbox_job.attempt = inbox_asked.attempt
  ORDER BY inbox_job.id
  ${lock} OF inbox_job SKIP LOCKED
),
inbox_done AS (
  ${write} inbox_owned
  WHERE inbox_job.id = inbox_owned.id
  RETURNING inbox_owned.n${extra.answer === '' ? '' : `, ${extra.answer} AS answer`}
)
SELECT
  inbox_asked.n::text,
  CASE
    WHEN inbox_done.n IS NOT NULL THEN 'done'
    WHEN EXISTS (
      SELECT FROM jobs AS inbox_job
      WHERE inbox_job.id = inbox_asked.key1
        AND inbox_job.locked_until = timestamptz 'epoch' + inbox_asked.held * interval '1 microsecond'
        AND inbox_job.attempt = inbox_asked.attempt
    ) THEN 'busy'
    ELSE 'lost'
  END${extra.answer === '' ? '' : ', inbox_done.answer'}
FROM inbox_asked
LEFT JOIN inbox_done ON inbox_done.n = inbox_asked.n
ORDER BY inbox_asked.n`,
  };
}

function claim(limit: string, values: readonly string[]): Statement {
  return {
    values: values as Statement['values'],
    text: `
WITH inbox_due AS MATERIALIZED (
  SELECT id
  FROM jobs
  WHERE locked_until IS NULL OR locked_until <= statement_timestamp()
  ORDER BY id
  LIMIT ${limit}
  FOR NO KEY UPDATE SKIP LOCKED
),
inbox_claimed AS (
  UPDATE jobs AS inbox_job
  SET locked_until = statement_timestamp() + $1::float8 * interval '1 millisecond',
    attempt = inbox_job.attempt + 1
  FROM inbox_due
  WHERE inbox_job.id = inbox_due.id
  RETURNING inbox_job.id, inbox_job.locked_until, inbox_job.attempt, inbox_job.payload
)
SELECT
  inbox_claimed.id::text,
  (extract(epoch FROM inbox_claimed.locked_until) * 1000000)::bigint::text AS inbox_held,
  inbox_claimed.attempt::text,
  inbox_claimed.payload::text
FROM inbox_claimed
ORDER BY inbox_claimed.id`,
  };
}

const now = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
const fence = 'WHERE id = ? AND locked_until = ? AND attempt = ?';

/** A spec as `inbox-gen` prints it for the table above, written by hand. */
export const jobSpec: LeaseSpec<Job, NewJob, bigint, 'postgres' | 'sqlite'> = {
  queue: 'Job',
  table: 'jobs',
  keyWidth: 1,
  counted: true,
  hostClock: false,
  statements: {
    postgres: {
      claimOne: claim('1', ['lease']),
      claim: claim('$2', ['lease', 'limit']),
      extend: settle(
        'FOR NO KEY UPDATE',
        `UPDATE jobs AS inbox_job
  SET locked_until = statement_timestamp() + $4::float8 * interval '1 millisecond'
  FROM`,
        {
          values: ['lease'],
          answer: '(extract(epoch FROM inbox_job.locked_until) * 1000000)::bigint::text',
        },
      ),
      ack: settle('FOR UPDATE', 'DELETE FROM jobs AS inbox_job\n  USING'),
      retry: settle(
        'FOR NO KEY UPDATE',
        `UPDATE jobs AS inbox_job
  SET locked_until = statement_timestamp() + inbox_owned.after * interval '1 millisecond'
  FROM`,
        { values: ['after'], answer: '' },
      ),
      release: settle(
        'FOR NO KEY UPDATE',
        `UPDATE jobs AS inbox_job
  SET locked_until = NULL, attempt = inbox_job.attempt - 1
  FROM`,
      ),
      insert: {
        values: ['column1'],
        text: `
INSERT INTO jobs (payload)
SELECT inbox_new.column1::jsonb
FROM unnest($1::text[])
  WITH ORDINALITY AS inbox_new (column1, n)
ORDER BY inbox_new.n
RETURNING id::text`,
      },
    },
    sqlite: {
      due: {
        values: [],
        text: `SELECT 1 FROM jobs WHERE locked_until IS NULL OR locked_until <= (SELECT ${now}) LIMIT 1`,
      },
      claim: {
        values: ['lease', 'limit'],
        text: `
SELECT id, (SELECT ${now} + ?), attempt + 1, payload
FROM jobs
WHERE locked_until IS NULL OR locked_until <= (SELECT ${now})
ORDER BY id
LIMIT ?`,
      },
      stamp: {
        values: ['held', 'attempt', 'key1'],
        text: 'UPDATE jobs SET locked_until = ?, attempt = ? WHERE id = ?',
      },
      extend: {
        values: ['lease', 'key1', 'held', 'attempt'],
        text: `UPDATE jobs SET locked_until = (SELECT ${now} + ?) ${fence} RETURNING locked_until`,
      },
      ack: { values: ['key1', 'held', 'attempt'], text: `DELETE FROM jobs ${fence}` },
      retry: {
        values: ['after', 'key1', 'held', 'attempt'],
        text: `UPDATE jobs SET locked_until = (SELECT ${now} + ?) ${fence}`,
      },
      release: {
        values: ['key1', 'held', 'attempt'],
        text: `UPDATE jobs SET locked_until = NULL, attempt = attempt - 1 ${fence}`,
      },
      insert: {
        values: ['column1'],
        text: 'INSERT INTO jobs (payload) VALUES (?) RETURNING id',
      },
    },
  },
  decode: ([id, , attempt, payload]) => ({
    id: readBigint('id', id),
    attempt: readInteger('attempt', attempt) - 1,
    payload: readJson('payload', payload),
  }),
  decodeKey: ([id]) => readBigint('id', id),
  decodeAttempt: ([, , attempt]) => readInteger('attempt', attempt) - 1,
  encode: (row) => [writeJson('payload', row.payload)],
};

/** The queue class that would be generated. */
export class JobQueue extends LeaseQueue<Job, NewJob, bigint, 'postgres' | 'sqlite'> {
  constructor(database: InboxDatabase<'postgres' | 'sqlite'>, options?: QueueOptions) {
    super(database, jobSpec, options);
  }
}
