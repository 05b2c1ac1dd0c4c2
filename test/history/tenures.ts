import type { ProcessHistory, Verb } from './history.js';

/** One delivery of one row to one process: from its claim to what ended it, in fences. */
export interface Tenure {
  readonly id: string;
  readonly process: string;
  readonly killed: boolean;
  readonly attempt: number;
  /** The expiry that the claim wrote. */
  readonly first: bigint;
  /** The expiry that the last extension wrote; `first` where there was none. */
  readonly last: bigint;
  /** How the process saw it end; `open` where it never did. */
  readonly end: Verb | 'lost' | 'open';
}

/** Something that must not be in a history. */
export interface Violation {
  readonly rule:
    | 'unowned'
    | 'two-owners'
    | 'after-done'
    | 'attempt'
    | 'false-loss'
    | 'row-lost'
    | 'settled-but-left'
    | 'unknown-row';
  readonly id: string;
  readonly message: string;
}

/**
 * Reads each process's events as deliveries. An event that belongs to none of the deliveries that
 * the process had open (never claimed, already settled, another fence) is a violation `unowned`.
 */
export function readTenures(processes: readonly ProcessHistory[]): {
  readonly tenures: readonly Tenure[];
  readonly violations: readonly Violation[];
} {
  const tenures: Tenure[] = [];
  const violations: Violation[] = [];
  for (const { process, killed, events } of processes) {
    const open = new Map<string, Tenure>();
    for (const event of events) {
      const { id, attempt } = event;
      const fence = fenceNumber(event.fence);
      const name = `${id} ${String(attempt)}`;
      const held = open.get(name);
      if (event.kind === 'claimed') {
        if (held !== undefined) {
          tenures.push(held);
        }
        open.set(name, { id, process, killed, attempt, first: fence, last: fence, end: 'open' });
      } else if (held === undefined) {
        const message = `${process} ${event.kind} attempt ${String(attempt)} without holding it`;
        violations.push({ rule: 'unowned', id, message });
      } else if (event.kind === 'extended') {
        if (fence < held.last || fenceNumber(event.previous ?? '0') !== held.last) {
          const message = `${process} extended from ${event.previous ?? 'nothing'} to ${event.fence}, but held ${String(held.last)}`;
          violations.push({ rule: 'unowned', id, message });
        }
        open.set(name, { ...held, last: fence });
      } else {
        if (fence !== held.last) {
          const message = `${process} ${event.kind} with fence ${event.fence}, but held ${String(held.last)}`;
          violations.push({ rule: 'unowned', id, message });
        }
        open.delete(name);
        tenures.push({ ...held, end: event.kind === 'lost' ? 'lost' : (event.verb ?? 'ack') });
      }
    }
    tenures.push(...open.values());
  }
  return { tenures, violations };
}

/** A fence as a number: a database that keeps its expiries as text shows them so, to microseconds. */
function fenceNumber(fence: string): bigint {
  if (/^-?\d+$/.test(fence)) {
    return BigInt(fence);
  }
  const [whole = '', fraction = ''] = fence.split('.');
  const seconds = BigInt(Date.parse(`${whole.replace(' ', 'T')}Z`)) / 1_000n;
  return seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}
