import { describe, expect, it } from 'vitest';

import { checkHistories, type Run } from './checker.js';
import { readHistory, type HistoryEvent } from './history.js';

/** A run of processes a, b, … over row 1, with leases of 100. */
function run(histories: readonly (readonly HistoryEvent[])[], overrides: Partial<Run> = {}): Run {
  return {
    processes: histories.map((events, index) => ({
      process: 'abc'.charAt(index),
      events,
      killed: false,
    })),
    enqueued: ['1'],
    left: [],
    lease: 100n,
    unlogged: 0,
    ...overrides,
  };
}

function event(
  kind: HistoryEvent['kind'],
  attempt: number,
  fence: number,
  verb?: HistoryEvent['verb'],
): HistoryEvent {
  return { kind, id: '1', attempt, fence: String(fence), ...(verb === undefined ? {} : { verb }) };
}

const rules = (subject: Run): readonly string[] =>
  checkHistories(subject).map((violation) => violation.rule);

const claimed = (attempt: number, fence: number): HistoryEvent => event('claimed', attempt, fence);
const extended = (attempt: number, previous: number, fence: number): HistoryEvent => ({
  ...event('extended', attempt, fence),
  previous: String(previous),
});
const acked = (attempt: number, fence: number): HistoryEvent =>
  event('settled', attempt, fence, 'ack');
const lost = (attempt: number, fence: number): HistoryEvent => event('lost', attempt, fence);

describe('histories that are right', () => {
  it('claim, extend, acknowledge', () => {
    expect(rules(run([[claimed(1, 100), extended(1, 100, 150), acked(1, 150)]]))).toEqual([]);
  });

  it('a row that nobody took and that is still there', () => {
    expect(rules(run([[]], { left: ['1'] }))).toEqual([]);
  });

  it('a retry counts, a release does not', () => {
    const histories = [
      [claimed(1, 100), event('settled', 1, 100, 'retry')],
      [claimed(2, 110), event('settled', 2, 110, 'release')],
      [claimed(2, 120), acked(2, 120)],
    ];
    expect(rules(run(histories))).toEqual([]);
  });

  it('a lease that ended, was taken over, and was found lost', () => {
    const histories = [
      [claimed(1, 100), lost(1, 100)],
      [claimed(2, 200), acked(2, 200)],
    ];
    expect(rules(run(histories))).toEqual([]);
  });

  it('one process that takes over from itself', () => {
    expect(rules(run([[claimed(1, 100), claimed(2, 200), lost(1, 100), acked(2, 200)]]))).toEqual(
      [],
    );
  });

  it('a killed process whose acknowledgement was committed and not logged', () => {
    const subject = run([[claimed(1, 100)]], { unlogged: 1 });
    const processes = subject.processes.map((process) => ({ ...process, killed: true }));
    expect(rules({ ...subject, processes })).toEqual([]);
  });

  it('a killed process whose retry was committed and not logged', () => {
    const subject = run([[claimed(1, 100)], [claimed(2, 120), acked(2, 120)]], { unlogged: 1 });
    const processes = subject.processes.map((process) => ({
      ...process,
      killed: process.process === 'a',
    }));
    expect(rules({ ...subject, processes })).toEqual([]);
    expect(rules({ ...subject, processes, unlogged: 0 })).toEqual(['two-owners']);
    expect(rules(subject)).toEqual(['two-owners']);
  });

  it('a killed process whose claim was committed and not logged', () => {
    expect(rules(run([[claimed(2, 200), acked(2, 200)]], { unlogged: 1 }))).toEqual([]);
  });
});

describe('histories that are wrong', () => {
  it.each<{ name: string; subject: Run; rule: string }>([
    {
      name: 'two claims of one row while the first lease runs',
      subject: run([[claimed(1, 100)], [claimed(2, 150), acked(2, 150)]]),
      rule: 'two-owners',
    },
    {
      name: 'two processes with the same fence',
      subject: run([[claimed(1, 100), acked(1, 100)], [claimed(1, 100)]]),
      rule: 'after-done',
    },
    {
      name: 'a claim inside an extension',
      subject: run([
        [claimed(1, 100), extended(1, 100, 150), lost(1, 150)],
        [claimed(2, 220), acked(2, 220)],
      ]),
      rule: 'two-owners',
    },
    {
      name: 'a claim that ended before the settled extension was written',
      subject: run([
        [claimed(1, 100), extended(1, 100, 150), event('settled', 1, 150, 'retry')],
        [claimed(2, 140), acked(2, 140)],
      ]),
      rule: 'two-owners',
    },
    {
      name: 'a delivery after the acknowledgement',
      subject: run([[claimed(1, 100), acked(1, 100)], [claimed(2, 300)]], { left: ['1'] }),
      rule: 'after-done',
    },
    {
      name: 'an acknowledgement by a holder that had lost the row',
      subject: run([
        [claimed(1, 100), acked(1, 100)],
        [claimed(2, 250), acked(2, 250)],
      ]),
      rule: 'after-done',
    },
    {
      name: 'a second acknowledgement',
      subject: run([[claimed(1, 100), acked(1, 100), acked(1, 100)]]),
      rule: 'unowned',
    },
    {
      name: 'a settlement without a claim',
      subject: run([[acked(1, 100)]]),
      rule: 'unowned',
    },
    {
      name: 'a settlement with an older fence',
      subject: run([[claimed(1, 100), extended(1, 100, 150), acked(1, 100)]]),
      rule: 'unowned',
    },
    {
      name: 'an extension of a row that is not held',
      subject: run([[extended(1, 100, 150)]], { left: ['1'] }),
      rule: 'unowned',
    },
    {
      name: 'an extension backwards',
      subject: run([[claimed(1, 100), extended(1, 100, 90), acked(1, 90)]]),
      rule: 'unowned',
    },
    {
      name: 'an extension of an older fence',
      subject: run([
        [claimed(1, 100), extended(1, 100, 150), extended(1, 100, 180), acked(1, 180)],
      ]),
      rule: 'unowned',
    },
    {
      name: 'an attempt left out',
      subject: run([[claimed(2, 100), acked(2, 100)]]),
      rule: 'attempt',
    },
    {
      name: 'a retry that did not count',
      subject: run([
        [claimed(1, 100), event('settled', 1, 100, 'retry')],
        [claimed(1, 200), acked(1, 200)],
      ]),
      rule: 'attempt',
    },
    {
      name: 'a release that counted',
      subject: run([
        [claimed(1, 100), event('settled', 1, 100, 'release')],
        [claimed(2, 200), acked(2, 200)],
      ]),
      rule: 'attempt',
    },
    {
      name: 'a loss to nobody',
      subject: run([[claimed(1, 100), lost(1, 100)]], { left: ['1'] }),
      rule: 'false-loss',
    },
    {
      name: 'a row that is gone, and nobody was killed',
      subject: run([[claimed(1, 100)]]),
      rule: 'row-lost',
    },
    {
      name: 'a row that is gone and was never claimed',
      subject: run([[]]),
      rule: 'row-lost',
    },
    {
      name: 'a row that is gone, held last by a process that was not killed',
      subject: run([[claimed(1, 100)]], { unlogged: 1 }),
      rule: 'row-lost',
    },
    {
      name: 'an acknowledged row that is still in the table',
      subject: run([[claimed(1, 100), acked(1, 100)]], { left: ['1'] }),
      rule: 'settled-but-left',
    },
    {
      name: 'a row that nobody enqueued',
      subject: run([[{ ...claimed(1, 100), id: '2' }]], { left: ['1'] }),
      rule: 'unknown-row',
    },
  ])('$name', ({ subject, rule }) => {
    expect(rules(subject)).toContain(rule);
  });
});

describe('history files', () => {
  const line = JSON.stringify(claimed(1, 100));

  it('are read line by line', () => {
    expect(readHistory('a', `${line}\n${line}\n`, false).events).toEqual([
      claimed(1, 100),
      claimed(1, 100),
    ]);
  });

  it('of a killed process may end inside a line', () => {
    expect(readHistory('a', `${line}\n{"kind":`, true).events).toEqual([claimed(1, 100)]);
  });

  it('of any other process may not', () => {
    expect(() => readHistory('a', `${line}\n{"kind":`, false)).toThrow(/middle of a line/);
  });
});
