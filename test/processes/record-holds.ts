import { writeSync } from 'node:fs';

import type { InboxEvent } from 'inbox-runtime';

import type { HoldEvent } from '../history/hold-history.js';

/** Writes the history of one process, or of one worker among several in a process. */
export interface HoldRecorder {
  /** Takes every event; those about rows are written. */
  heard(event: InboxEvent): void;
  /** The handler of a row has ended; whatever it decided is not sent yet. */
  left(id: unknown): void;
}

/**
 * Hands on every claim, settlement and loss of rows held by sessions, at once. `keyOf` answers what is
 * in work once at a time beside the row.
 */
export function recordHolds(
  keyOf: (id: string) => string,
  write: (event: HoldEvent) => void,
): HoldRecorder {
  // A row's handler begins after its claim was told, and before it can be claimed again.
  const latest = new Map<string, string>();
  const now = (): string => String(process.hrtime.bigint());
  return {
    heard(event) {
      switch (event.kind) {
        case 'claimed': {
          const id = String(event.id);
          latest.set(id, event.held);
          const attempt = event.attempt ?? 0;
          write({ kind: 'claimed', id, held: event.held, attempt, key: keyOf(id), at: now() });
          return;
        }
        case 'settled':
          write({ kind: 'settled', id: String(event.id), held: event.held, verb: event.as });
          return;
        case 'lost':
        case 'settle-failed':
          write({ kind: 'lost', id: String(event.id), held: event.held });
          return;
        default:
      }
    },
    left(row) {
      const id = String(row);
      write({ kind: 'left', id, held: latest.get(id) ?? '', at: now() });
    },
  };
}

/** Writes events into an open file, a line each: what was learnt before a kill is there after it. */
export function intoFile(file: number): (event: HoldEvent) => void {
  return (event) => {
    writeSync(file, `${JSON.stringify(event)}\n`);
  };
}
