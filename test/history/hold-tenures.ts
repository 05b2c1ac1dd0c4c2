import type { HoldEvent, HoldHistory } from './hold-history.js';
import type { Verb } from './history.js';

/** One delivery of one row to one process, and how long the row was surely held by it. */
export interface HoldTenure {
  readonly id: string;
  readonly key: string;
  readonly process: string;
  readonly killed: boolean;
  readonly attempt: number;
  /** When the process knew that it had the row, in nanoseconds. */
  readonly from: bigint;
  /** Until when it surely had it; `from` where nothing shows more. */
  readonly to: bigint;
  /** How the process saw it end; `open` where it never did. */
  readonly end: Verb | 'lost' | 'open';
}

/** Something that must not be in a history of holds. */
export interface HoldViolation {
  readonly rule:
    | 'unowned'
    | 'unsettled'
    | 'two-owners'
    | 'two-of-a-key'
    | 'after-done'
    | 'attempt'
    | 'row-lost'
    | 'settled-but-left'
    | 'unknown-row';
  readonly id: string;
  readonly message: string;
}

interface OpenTenure {
  readonly claim: HoldEvent & { readonly kind: 'claimed' };
  left: bigint | undefined;
}

/**
 * Reads each process's events as deliveries. An event of a delivery that the process did not have
 * open is a violation `unowned`; a delivery that a process which ended by itself has left open is
 * `unsettled`.
 */
export function readHoldTenures(processes: readonly HoldHistory[]): {
  readonly tenures: readonly HoldTenure[];
  readonly violations: readonly HoldViolation[];
} {
  const tenures: HoldTenure[] = [];
  const violations: HoldViolation[] = [];
  for (const { process, events, killedAt } of processes) {
    const open = new Map<string, OpenTenure>();
    const close = ({ claim, left }: OpenTenure, end: HoldTenure['end']): void => {
      const { id, key, attempt } = claim;
      const from = BigInt(claim.at);
      const to = heldUntil(end, from, left, killedAt);
      tenures.push({ id, key, process, killed: killedAt !== undefined, attempt, from, to, end });
    };
    for (const event of events) {
      const held = open.get(event.held);
      if (event.kind === 'claimed' ? held !== undefined : held?.claim.id !== event.id) {
        const message = `${process}: ${event.kind} as ${event.held}, which it ${held === undefined ? 'did not have' : 'had already'}`;
        violations.push({ rule: 'unowned', id: event.id, message });
      } else if (event.kind === 'claimed') {
        open.set(event.held, { claim: event, left: undefined });
      } else if (held !== undefined && event.kind === 'left') {
        held.left = BigInt(event.at);
      } else if (held !== undefined && event.kind !== 'left') {
        open.delete(event.held);
        close(held, event.kind === 'lost' ? 'lost' : event.verb);
      }
    }
    for (const [name, held] of open) {
      close(held, 'open');
      if (killedAt === undefined) {
        const message = `${process} ended without settling ${name}`;
        violations.push({ rule: 'unsettled', id: held.claim.id, message });
      }
    }
  }
  return { tenures, violations };
}

/** A session that was lost had the row at some moment only; a killed one until it was killed. */
function heldUntil(
  end: HoldTenure['end'],
  from: bigint,
  left: bigint | undefined,
  killedAt: bigint | undefined,
): bigint {
  if (end === 'lost') return from;
  if (end === 'open') return left ?? killedAt ?? from;
  return left ?? from;
}
