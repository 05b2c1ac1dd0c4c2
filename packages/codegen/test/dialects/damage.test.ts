import { describe, expect, it } from 'vitest';
import { postgres } from '../../src/dialects/postgres/index.js';
import { dialectsOf } from '../../src/dialects/recognise.js';
import { sqlite } from '../../src/dialects/sqlite/index.js';
import { read } from './reading.js';

const schema = `-- @dialect postgres
/* A job /* nested */ it's. */
-- @inbox lease Job
CREATE TABLE IF NOT EXISTS public."jobs" (
  id BIGSERIAL PRIMARY KEY, -- @id
  attempt SMALLINT NOT NULL DEFAULT 1,
  locked_until TIMESTAMP(3) WITH TIME ZONE, /* @locked_until */
  payload JSONB DEFAULT '{"a": [1]}'::jsonb NOT NULL,
  note varchar(20) DEFAULT CASE WHEN true THEN NULL ELSE $$x$$ END COLLATE "C" CHECK (note IS NOT NULL),
  tags text[] DEFAULT ARRAY['a''b', E'c\\'']::text[], [b] INT AS (1),
  CONSTRAINT k UNIQUE (id, attempt) DEFERRABLE, FOREIGN KEY (id) REFERENCES p ON DELETE SET NULL (id)
) WITH (fillfactor = 90);
COPY t FROM stdin;
x\t1
\\.
CREATE TRIGGER g AFTER INSERT ON jobs BEGIN SELECT CASE WHEN 1 THEN 2 END; END;
`;

const strays = [
  ...Array.from(`'"\`[](){};,.$\\@:%*/-#`),
  '/*',
  '*/',
  '--',
  '$$',
  '::',
  '\n',
  '\r',
  '\0',
  '\ud800',
  "E'",
  'U&"',
  ' PRIMARY KEY ',
  ' DEFAULT ',
  ' BEGIN ',
  ' CASE ',
  ' CREATE TABLE ',
  ' AS ',
  ' ARRAY ',
  '\n-- @inbox\n',
];

/** A small generator of numbers, so that every run damages the text in the same ways. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function damaged(random: (below: number) => number): string {
  let text = schema;
  for (let times = 1 + random(4); times > 0; times--) {
    const at = random(text.length);
    const stray = strays[random(strays.length)] ?? '';
    const kind = random(4);
    if (kind === 0) text = text.slice(0, at);
    else if (kind === 1) text = text.slice(0, at) + stray + text.slice(at);
    else if (kind === 2) text = text.slice(0, at) + text.slice(at + 1 + random(20));
    else text = text.slice(0, at) + stray + text.slice(at + 1);
  }
  return text;
}

describe.each([postgres, sqlite])('damaged schemas in $name', (dialect) => {
  it('are read or complained of, and never throw', () => {
    const random = randomFrom(20_260_101);
    let complaints = 0;
    for (let round = 0; round < 2_000; round++) {
      const text = damaged(random);
      const { value = [], diagnostics } = read(dialect, text);
      dialectsOf({ path: 'x.sql', text });
      complaints += diagnostics.length;
      // What is said has a place in the text, and what is read has its parts there.
      for (const { span } of [
        ...diagnostics,
        ...value,
        ...value.flatMap(({ columns }) => columns),
      ]) {
        const { start = 0, end = 0 } = span ?? {};
        expect(start >= 0 && start <= end && end <= text.length, text).toBe(true);
      }
    }
    expect(complaints).toBeGreaterThan(200);
  });

  it('of great length are read in time that grows with it', () => {
    const shapes = [
      (n: number) => `-- @inbox\nCREATE TABLE t (${'a int, -- @id\n'.repeat(n)}`,
      (n: number) => `-- @inbox\nCREATE TABLE t (${'('.repeat(n)}`,
      (n: number) => `-- @inbox\nCREATE TABLE t (a int ${'/* x */ '.repeat(n)});`,
      (n: number) => `-- @inbox\nCREATE TABLE t (a int DEFAULT ${'1 + '.repeat(n)}1);`,
      (n: number) => `-- @inbox\nCREATE TABLE t (a int CHECK ${'('.repeat(n)}${')'.repeat(n)});`,
      (n: number) => '-- @inbox\n'.repeat(n),
      (n: number) => 'SELECT 1; -- @inbox\n'.repeat(n),
      (n: number) =>
        `-- @inbox\nCREATE TABLE t (${Array.from({ length: n }, (_, i) => `c${i} int -- x\n`).join()});`,
    ];
    for (const shape of shapes) {
      const start = performance.now();
      read(dialect, shape(10_000));
      // Linear takes well under a second; quadratic would take minutes.
      expect(performance.now() - start, shape(1)).toBeLessThan(10_000);
    }
  });
});
