import { describe, expect, it } from 'vitest';

import { checkHolds, type HoldRun } from './hold-checker.js';
import { readHoldHistory, type HoldEvent } from './hold-history.js';

/** What one process did, in order. Each call is told which delivery it speaks of. */
const claimed = (held: string, at: number, of: Partial<HoldEvent> = {}): HoldEvent =>
  ({ kind: 'claimed', id: '1', key: 'k', attempt: 1, held, at: String(at), ...of }) as HoldEvent;
const left = (held: string, at: number, id = '1'): HoldEvent => ({
  kind: 'left',
  id,
  held,
  at: String(at),
});
const settled = (
  held: string,
  verb: 'ack' | 'drop' | 'retry' | 'release',
  id = '1',
): HoldEvent => ({ kind: 'settled', id, held, verb });
const lost = (held: string, id = '1'): HoldEvent => ({ kind: 'lost', id, held });

/** A run of processes a, b, … over row 1; those with a time were killed then. */
function run(
  histories: readonly (readonly HoldEvent[])[],
  overrides: Partial<HoldRun> = {},
  killed: readonly (number | undefined)[] = [],
): HoldRun {
  return {
    processes: histories.map((events, index) => {
      const at = killed[index];
      return {
        process: 'abc'.charAt(index),
        events,
        ...(at === undefined ? {} : { killedAt: BigInt(at) }),
      };
    }),
    enqueued: ['1'],
    left: [],
    counts: 'claim',
    unlogged: 0,
    ...overrides,
  };
}

const rules = (subject: HoldRun): readonly string[] =>
  checkHolds(subject).map((violation) => violation.rule);

const acked = (
  held: string,
  from: number,
  to: number,
  of: Partial<HoldEvent> = {},
): HoldEvent[] => [claimed(held, from, of), left(held, to, of.id), settled(held, 'ack', of.id)];

describe('histories of holds that are right', () => {
  it('claim, leave, acknowledge', () => {
    expect(rules(run([acked('x', 1, 9)]))).toEqual([]);
  });

  it('a row that nobody took and that is still there', () => {
    expect(rules(run([[]], { left: ['1'] }))).toEqual([]);
  });

  it('where the claim counts: a retry and a loss count, a release does not', () => {
    const histories = [
      [claimed('x', 1), left('x', 2), settled('x', 'retry')],
      [claimed('y', 3, { attempt: 2 }), settled('y', 'release')],
      [claimed('z', 4, { attempt: 2 }), lost('z'), ...acked('w', 5, 6, { attempt: 3 })],
    ];
    expect(rules(run(histories))).toEqual([]);
  });

  it('where the retry counts: a loss and a release do not', () => {
    const histories = [
      [claimed('x', 1), left('x', 2), settled('x', 'retry')],
      [claimed('y', 3, { attempt: 2 }), settled('y', 'release')],
      [claimed('z', 4, { attempt: 2 }), lost('z'), ...acked('w', 5, 6, { attempt: 2 })],
    ];
    expect(rules(run(histories, { counts: 'retry' }))).toEqual([]);
  });

  it('a table that does not count', () => {
    const histories = [
      [claimed('x', 1, { attempt: 0 }), left('x', 2), settled('x', 'retry')],
      acked('y', 3, 4, { attempt: 0 }),
    ];
    expect(rules(run(histories, { counts: 'never' }))).toEqual([]);
  });

  it('a row that was delivered again while the handler of the lost delivery still ran', () => {
    const histories = [[claimed('x', 1), lost('x')], acked('y', 2, 9, { attempt: 2 })];
    expect(rules(run(histories))).toEqual([]);
  });

  it('a killed process whose row came back', () => {
    expect(rules(run([[claimed('x', 1)], acked('y', 6, 9, { attempt: 2 })], {}, [5]))).toEqual([]);
  });

  it('a killed process whose acknowledgement was committed and not logged', () => {
    expect(rules(run([[claimed('x', 1), left('x', 2)]], { unlogged: 1 }, [5]))).toEqual([]);
  });

  it('a killed process whose claim was counted and not logged', () => {
    expect(rules(run([[], acked('y', 6, 9, { attempt: 2 })], { unlogged: 1 }, [5]))).toEqual([]);
  });

  it('the rows of two keys side by side', () => {
    const histories = [acked('x', 1, 9), acked('y', 2, 8, { id: '2', key: 'other' })];
    expect(rules(run(histories, { enqueued: ['1', '2'] }))).toEqual([]);
  });
});

describe('histories of holds that are wrong', () => {
  it('two processes that have a row at a time', () => {
    const histories = [acked('x', 1, 5), [claimed('y', 4, { attempt: 2 }), lost('y')]];
    expect(rules(run(histories))).toEqual(['two-owners', 'after-done']);
  });

  it('a short delivery within a long one, and another behind it', () => {
    const histories = [
      [claimed('x', 1), left('x', 9), settled('x', 'retry')],
      [claimed('y', 2, { attempt: 2 }), left('y', 3), settled('y', 'retry')],
      acked('z', 7, 8, { attempt: 3 }),
    ];
    expect(rules(run(histories))).toEqual(['two-owners', 'two-owners']);
  });

  it('two rows of one key at a time', () => {
    const histories = [acked('x', 1, 5), acked('y', 4, 6, { id: '2' })];
    expect(rules(run(histories, { enqueued: ['1', '2'] }))).toEqual(['two-of-a-key']);
  });

  it('one process that has two rows of one key at a time', () => {
    const histories = [[...acked('x', 1, 5), ...acked('y', 4, 6, { id: '2' })]];
    expect(rules(run(histories, { enqueued: ['1', '2'] }))).toEqual(['two-of-a-key']);
  });

  it('a row taken from a process that was killed only later', () => {
    const histories = [[claimed('x', 1)], acked('y', 4, 9, { attempt: 2 })];
    expect(rules(run(histories, {}, [5]))).toEqual(['two-owners']);
  });

  it('a settlement after the session was lost', () => {
    expect(rules(run([[claimed('x', 1), lost('x'), settled('x', 'ack')]]))).toEqual([
      'unowned',
      'row-lost',
    ]);
  });

  it('two settlements of one delivery', () => {
    expect(rules(run([[...acked('x', 1, 2), settled('x', 'ack')]]))).toEqual(['unowned']);
  });

  it('a settlement of what was never claimed', () => {
    expect(rules(run([[settled('x', 'ack')]], { left: ['1'] }))).toEqual(['unowned']);
  });

  it('a settlement of another row with the name of a delivery', () => {
    expect(rules(run([[claimed('x', 1), settled('x', 'ack', '2')]], { left: ['1'] }))).toEqual([
      'unowned',
      'unsettled',
    ]);
  });

  it('two deliveries of one name', () => {
    expect(rules(run([[claimed('x', 1), ...acked('x', 2, 3)]]))).toEqual(['unowned']);
  });

  it('a delivery after an acknowledgement, or after a drop', () => {
    for (const verb of ['ack', 'drop'] as const) {
      const histories = [
        [claimed('x', 1), left('x', 2), settled('x', verb)],
        [claimed('y', 3, { attempt: 2 }), settled('y', 'release')],
      ];
      expect(rules(run(histories))).toEqual(['after-done']);
    }
  });

  it('a delivery that a process which ended by itself has left open', () => {
    expect(rules(run([[claimed('x', 1)]], { left: ['1'] }))).toEqual(['unsettled']);
  });

  it.each([
    ['a first delivery that is not the first', 'claim', [acked('x', 1, 2, { attempt: 2 })]],
    [
      'a loss that is not counted where the claim counts',
      'claim',
      [[claimed('x', 1), lost('x')], acked('y', 2, 3)],
    ],
    [
      'a loss that is counted where the retry counts',
      'retry',
      [[claimed('x', 1), lost('x')], acked('y', 2, 3, { attempt: 2 })],
    ],
    [
      'a release that is counted',
      'claim',
      [[claimed('x', 1), settled('x', 'release')], acked('y', 2, 3, { attempt: 2 })],
    ],
    [
      'a retry that is not counted',
      'retry',
      [[claimed('x', 1), left('x', 2), settled('x', 'retry')], acked('y', 3, 4)],
    ],
  ] as const)('%s', (_, counts, histories) => {
    expect(rules(run(histories, { counts }))).toEqual(['attempt']);
  });

  it('more missing lines than a kill can explain', () => {
    const histories = [[claimed('x', 1)], acked('y', 6, 9, { attempt: 4 })];
    expect(rules(run(histories, { unlogged: 1 }, [5]))).toEqual(['attempt']);
  });

  it('a row that is gone, and one that was finished and is there', () => {
    expect(rules(run([[]]))).toEqual(['row-lost']);
    expect(rules(run([acked('x', 1, 2)], { left: ['1'] }))).toEqual(['settled-but-left']);
  });

  it('a row that nobody enqueued', () => {
    expect(rules(run([acked('x', 1, 2)], { enqueued: [] }))).toEqual(['unknown-row']);
  });
});

describe('reading a history of holds', () => {
  it('takes a torn last line of a killed process only', () => {
    const line = JSON.stringify(claimed('x', 1));
    expect(readHoldHistory('a', `${line}\n{"kin`, 5n)).toEqual({
      process: 'a',
      events: [claimed('x', 1)],
      killedAt: 5n,
    });
    expect(() => readHoldHistory('a', `${line}\n{"kin`)).toThrow('ends in the middle');
    expect(readHoldHistory('a', `${line}\n`).events).toHaveLength(1);
  });
});
